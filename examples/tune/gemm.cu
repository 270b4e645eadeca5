// c = a · b for matrices of n × n floats, row by row. gemm.cl is the same kernel in OpenCL, and
// gemm.toml tunes either.
//
// A thread computes items_x columns, which are block_size_x apart, of items_y adjacent rows.
//   use_shared  1: tiles of 16 columns of a and 16 rows of b are copied to shared memory
#ifndef block_size_x
#define block_size_x 16
#define block_size_y 16
#define items_x 1
#define items_y 1
#define use_shared 1
#endif

#define TILE_K 16
#define TILE_X (block_size_x * items_x)
#define TILE_Y (block_size_y * items_y)

extern "C" __global__ void __launch_bounds__(block_size_x* block_size_y)
    gemm(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int n) {
  int tx = threadIdx.x;
  int ty = threadIdx.y * items_y;
  int first_column = blockIdx.x * TILE_X;
  int first_row = blockIdx.y * TILE_Y;
  float sum[items_y][items_x] = {};

#if use_shared
  __shared__ float tile_a[TILE_Y][TILE_K];
  __shared__ float tile_b[TILE_K][TILE_X];
  int thread = threadIdx.y * block_size_x + threadIdx.x;
  for (int first_k = 0; first_k < n; first_k += TILE_K) {
    for (int i = thread; i < TILE_Y * TILE_K; i += block_size_x * block_size_y) {
      int row = first_row + i / TILE_K;
      int k = first_k + i % TILE_K;
      tile_a[i / TILE_K][i % TILE_K] = row < n && k < n ? a[row * n + k] : 0.0f;
    }
    for (int i = thread; i < TILE_K * TILE_X; i += block_size_x * block_size_y) {
      int k = first_k + i / TILE_X;
      int column = first_column + i % TILE_X;
      tile_b[i / TILE_X][i % TILE_X] = k < n && column < n ? b[k * n + column] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < TILE_K; ++k) {
#pragma unroll
      for (int i = 0; i < items_y; ++i) {
#pragma unroll
        for (int j = 0; j < items_x; ++j) {
          sum[i][j] += tile_a[ty + i][k] * tile_b[k][tx + j * block_size_x];
        }
      }
    }
    __syncthreads();
  }
#else
  // Outside the matrix, the last row or column stands in; the result is not stored.
  for (int k = 0; k < n; ++k) {
    float of_b[items_x];
#pragma unroll
    for (int j = 0; j < items_x; ++j) {
      of_b[j] = b[k * n + min(first_column + tx + j * block_size_x, n - 1)];
    }
#pragma unroll
    for (int i = 0; i < items_y; ++i) {
      float of_a = a[min(first_row + ty + i, n - 1) * n + k];
#pragma unroll
      for (int j = 0; j < items_x; ++j) sum[i][j] += of_a * of_b[j];
    }
  }
#endif

#pragma unroll
  for (int i = 0; i < items_y; ++i) {
#pragma unroll
    for (int j = 0; j < items_x; ++j) {
      int row = first_row + ty + i;
      int column = first_column + tx + j * block_size_x;
      if (row < n && column < n) c[row * n + column] = sum[i][j];
    }
  }
}

// One thread per element of c, 16 × 16 threads.
extern "C" __global__ void gemm_reference(const float* a, const float* b, float* c, int n) {
  int column = blockIdx.x * 16 + threadIdx.x;
  int row = blockIdx.y * 16 + threadIdx.y;
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
