// Heat diffusion: a five-point stencil in 2-D with shared memory, and a seven-point one in 3-D.
#include "common.cuh"

constexpr int kTile = 16;

__global__ void heat_2d(const float* in, float* out, const float* source, int n, float rate) {
  __shared__ float tile[kTile + 2][kTile + 2];
  const int x = blockIdx.x * kTile + threadIdx.x, y = blockIdx.y * kTile + threadIdx.y;
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int at = y * n + x;
  tile[ty][tx] = in[at];
  if (threadIdx.x == 0) tile[ty][0] = x > 0 ? in[at - 1] : in[at];
  if (threadIdx.x == kTile - 1) tile[ty][kTile + 1] = x < n - 1 ? in[at + 1] : in[at];
  if (threadIdx.y == 0) tile[0][tx] = y > 0 ? in[at - n] : in[at];
  if (threadIdx.y == kTile - 1) tile[kTile + 1][tx] = y < n - 1 ? in[at + n] : in[at];
  __syncthreads();
  const float middle = tile[ty][tx];
  const float around = tile[ty][tx - 1] + tile[ty][tx + 1] + tile[ty - 1][tx] + tile[ty + 1][tx];
  out[at] = middle + rate * (around - 4 * middle) + source[at];
}

__global__ void heat_3d(const float* in, float* out, int n, float rate) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || x >= n - 1 || y < 1 || y >= n - 1) return;
  const int plane = n * n;
  int at = plane + y * n + x;
  float below = in[at - plane], here = in[at];
  for (int z = 1; z < n - 1; ++z, at += plane) {
    const float above = in[at + plane];
    const float around = in[at - 1] + in[at + 1] + in[at - n] + in[at + n] + above + below;
    out[at] = here + rate * (around - 6 * here);
    below = here;
    here = above;
  }
}

int main() {
  const int n = 1024, m = 128;
  float* a = upload(small_floats(n * n, 1));
  float* b = zeros<float>(n * n);
  float* source = upload(small_floats(n * n, 2));
  for (int step = 0; step < 6; ++step) {
    heat_2d<<<dim3(n / kTile, n / kTile), dim3(kTile, kTile)>>>(step % 2 ? b : a, step % 2 ? a : b,
                                                                 source, n, 0.1f);
  }
  float* c = upload(small_floats(m * m * m, 3));
  float* d = zeros<float>(m * m * m);
  for (int step = 0; step < 6; ++step) {
    heat_3d<<<dim3(m / 32, m / 4), dim3(32, 4)>>>(step % 2 ? d : c, step % 2 ? c : d, m, 0.1f);
  }
  return finish();
}
