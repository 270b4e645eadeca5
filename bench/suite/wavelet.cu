// Lifting wavelets (5/3) of an image: rows in shared memory, columns by a sliding window.
#include "common.cuh"

__global__ void wavelet_rows(const int* in, int* out, int n) {
  extern __shared__ int line[];
  const int row = blockIdx.x, half = n / 2;
  for (int x = threadIdx.x; x < n; x += blockDim.x) line[x] = in[row * n + x];
  __syncthreads();
  for (int i = threadIdx.x; i < half; i += blockDim.x) {
    const int right = 2 * i + 2 < n ? line[2 * i + 2] : line[2 * i];
    line[2 * i + 1] -= (line[2 * i] + right) >> 1;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < half; i += blockDim.x) {
    const int left = i > 0 ? line[2 * i - 1] : line[1];
    out[row * n + i] = line[2 * i] + ((left + line[2 * i + 1] + 2) >> 2);
    out[row * n + half + i] = line[2 * i + 1];
  }
}

__global__ void wavelet_columns(const int* in, int* out, int n, int strip) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int first = blockIdx.y * strip, half = n / 2;
  int detail = 0;
  if (first > 0) {
    detail = in[(2 * first - 1) * n + x] - ((in[(2 * first - 2) * n + x] + in[2 * first * n + x]) >> 1);
  }
  int even = in[2 * first * n + x];
  for (int i = first; i < first + strip; ++i) {
    const int odd = in[(2 * i + 1) * n + x];
    const int next = 2 * i + 2 < n ? in[(2 * i + 2) * n + x] : even;
    const int fresh = odd - ((even + next) >> 1);
    const int before = i > 0 ? detail : fresh;
    out[i * n + x] = even + ((before + fresh + 2) >> 2);
    out[(half + i) * n + x] = fresh;
    detail = fresh, even = next;
  }
}

int main() {
  const int n = 2048;
  Random random{31};
  std::vector<int> pixels(n * n);
  for (int& pixel : pixels) pixel = random.next() & 15;
  int* a = upload(pixels);
  int* b = zeros<int>(n * n);
  for (int step = 0; step < 3; ++step) {
    wavelet_rows<<<n, 256, n * sizeof(int)>>>(a, b, n);
    wavelet_columns<<<dim3(n / 128, n / 64), 128>>>(b, a, n, 32);
  }
  return finish();
}
