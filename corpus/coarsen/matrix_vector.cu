// Products of a matrix and a vector (kinds mvCoal and mvUncoal).
#include <cuda_fp16.h>

// A thread per row: neighbouring threads load words a row apart.
__global__ void mv_rows(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y,
                        int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows) {
    float sum = 0;
    for (int k = 0; k < columns; ++k) sum += a[row * columns + k] * x[k];
    y[row] = sum;
  }
}

// The matrix is stored by columns: a thread per row, and neighbouring threads load neighbouring words.
__global__ void mv_columns(const float* __restrict__ a, const float* __restrict__ x,
                           float* __restrict__ y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = 0; k < columns; ++k) sum += a[k * rows + row] * x[k];
  y[row] = sum;
}

// A block per row, one after the other; partial sums meet in shared memory. Blocks have different
// numbers of rows.
__global__ void mv_block_rows(const float* __restrict__ a, const float* __restrict__ x,
                              float* __restrict__ y, int rows, int columns) {
  __shared__ float partial[64];
  for (int row = blockIdx.x; row < rows; row += gridDim.x) {
    float sum = 0;
    for (int k = threadIdx.x; k < columns; k += blockDim.x) sum += a[row * columns + k] * x[k];
    partial[threadIdx.x] = sum;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
      __syncthreads();
      if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    }
    if (threadIdx.x == 0) y[row] = partial[0];
    __syncthreads();
  }
}

// As many blocks as rows.
__global__ void mv_block_row(const float* __restrict__ a, const float* __restrict__ x,
                             float* __restrict__ y, int columns) {
  __shared__ float partial[64];
  int row = blockIdx.x;
  float sum = 0;
  for (int k = threadIdx.x; k < columns; k += 64) sum += a[row * columns + k] * x[k];
  partial[threadIdx.x] = sum;
  __syncthreads();
#pragma unroll
  for (int half = 32; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[row] = partial[0];
}

// A warp per row: lanes stride over the columns, then add up by shuffles. Whole warps return early.
__global__ void mv_warp_rows(const float* __restrict__ a, const float* __restrict__ x,
                             float* __restrict__ y, int rows, int columns) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int k = lane; k < columns; k += 32) sum += a[row * columns + k] * x[k];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0) y[row] = sum;
}

// Packed halves.
__global__ void mv_halves(const __half2* __restrict__ a, const __half2* __restrict__ x,
                          __half* __restrict__ y, int rows, int pairs) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  __half2 sum = __float2half2_rn(0.0f);
  for (int k = 0; k < pairs; ++k) sum = __hadd2(sum, __hmul2(a[row * pairs + k], x[k]));
  y[row] = __hadd(__low2half(sum), __high2half(sum));
}

// A sparse matrix (CSR), a thread per row: trip counts differ within a warp.
__global__ void mv_sparse_rows(const int* __restrict__ first, const int* __restrict__ column,
                               const float* __restrict__ value, const float* __restrict__ x,
                               float* __restrict__ y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int e = first[row], end = first[row + 1]; e < end; ++e) sum += value[e] * x[column[e]];
  y[row] = sum;
}
