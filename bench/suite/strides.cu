// Copies with a stride: every second or fourth word of a sector, and a product that reads a matrix
// down its columns. The tables that say where the matrices are lie in a __device__ structure.
#include "common.cuh"

struct Matrices {
  const float* in[4];
  float* out[4];
};
__device__ Matrices matrices;

template <int kStride>
__global__ void copy_every(const float* in, float* out, int n) {
  const int i = (blockIdx.x * blockDim.x + threadIdx.x) * kStride;
  if (i < n) out[i] = in[i];
}

__global__ void transpose_listed(int n) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const float* in = matrices.in[blockIdx.z];
  float* out = matrices.out[blockIdx.z];
  for (int y = blockIdx.y * 32 + threadIdx.y; y < blockIdx.y * 32 + 32; y += 8)
    out[x * n + y] = in[y * n + x];
}

__global__ void column_sums(const float* a, const float* weights, float* out, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int j = 0; j < n; ++j) sum += a[row * n + j] * weights[j];
  out[row] = sum;
}

int main() {
  const int n = 1 << 22, side = 512;
  float* in = zeros<float>(n);
  float* out = zeros<float>(n);
  for (int i = 0; i < 3; ++i) {
    copy_every<2><<<n / 512, 256>>>(in, out, n);
    copy_every<4><<<n / 1024, 256>>>(in, out, n);
    copy_every<8><<<n / 2048, 256>>>(in, out, n);
  }
  Matrices table{};
  for (int i = 0; i < 4; ++i) {
    table.in[i] = zeros<float>(side * side), table.out[i] = zeros<float>(side * side);
  }
  CHECK(cudaMemcpyToSymbol(matrices, &table, sizeof table));
  for (int i = 0; i < 3; ++i) transpose_listed<<<dim3(side / 32, side / 32, 4), dim3(32, 8)>>>(side);
  for (int i = 0; i < 3; ++i) column_sums<<<2048 / 128, 128>>>(in, out, out, 2048);
  return finish();
}
