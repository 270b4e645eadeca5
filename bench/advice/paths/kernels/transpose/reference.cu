// Hand-written: tiles of 32 × 32 in padded shared memory, 32 × 8 threads, so both sides are coalesced.
#include <cuda_runtime.h>

namespace {
__global__ void __launch_bounds__(256)
    transpose_tile(const float *__restrict__ in, float *__restrict__ out, int rows, int cols) {
  __shared__ float tile[32][33];
  int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
  for (int j = 0; j < 32; j += 8) {
    if (col < cols && row + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(size_t)(row + j) * cols + col];
  }
  __syncthreads();
  col = blockIdx.y * 32 + threadIdx.x, row = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
  for (int j = 0; j < 32; j += 8) {
    if (col < rows && row + j < cols) out[(size_t)(row + j) * rows + col] = tile[threadIdx.x][threadIdx.y + j];
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float *in = *(const float **)arguments[0];
  float *out = *(float **)arguments[1];
  const int rows = *(int *)arguments[2], cols = *(int *)arguments[3];
  const dim3 grid((cols + 31) / 32, (rows + 31) / 32);
  transpose_tile<<<grid, dim3(32, 8), 0, stream>>>(in, out, rows, cols);
}
