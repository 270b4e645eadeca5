// c = a · b for matrices of n × n floats, row by row. gemm.cu is the same kernel in CUDA, and
// gemm.toml tunes either.
//
// A work-item computes items_x columns, which are block_size_x apart, of items_y adjacent rows.
//   use_shared  1: tiles of 16 columns of a and 16 rows of b are copied to local memory
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

__kernel __attribute__((reqd_work_group_size(block_size_x, block_size_y, 1))) void gemm(
    __global const float* restrict a, __global const float* restrict b, __global float* restrict c,
    int n) {
  int tx = get_local_id(0);
  int ty = get_local_id(1) * items_y;
  int first_column = get_group_id(0) * TILE_X;
  int first_row = get_group_id(1) * TILE_Y;
  float sum[items_y][items_x];
  for (int i = 0; i < items_y; ++i) {
    for (int j = 0; j < items_x; ++j) sum[i][j] = 0;
  }

#if use_shared
  __local float tile_a[TILE_Y][TILE_K];
  __local float tile_b[TILE_K][TILE_X];
  int item = get_local_id(1) * block_size_x + get_local_id(0);
  for (int first_k = 0; first_k < n; first_k += TILE_K) {
    for (int i = item; i < TILE_Y * TILE_K; i += block_size_x * block_size_y) {
      int row = first_row + i / TILE_K;
      int k = first_k + i % TILE_K;
      tile_a[i / TILE_K][i % TILE_K] = row < n && k < n ? a[row * n + k] : 0.0f;
    }
    for (int i = item; i < TILE_K * TILE_X; i += block_size_x * block_size_y) {
      int k = first_k + i / TILE_X;
      int column = first_column + i % TILE_X;
      tile_b[i / TILE_X][i % TILE_X] = k < n && column < n ? b[k * n + column] : 0.0f;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < TILE_K; ++k) {
      for (int i = 0; i < items_y; ++i) {
        for (int j = 0; j < items_x; ++j) {
          sum[i][j] += tile_a[ty + i][k] * tile_b[k][tx + j * block_size_x];
        }
      }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
  }
#else
  // Outside the matrix, the last row or column stands in; the result is not stored.
  for (int k = 0; k < n; ++k) {
    float of_b[items_x];
    for (int j = 0; j < items_x; ++j) {
      of_b[j] = b[k * n + min(first_column + tx + j * block_size_x, n - 1)];
    }
    for (int i = 0; i < items_y; ++i) {
      float of_a = a[min(first_row + ty + i, n - 1) * n + k];
      for (int j = 0; j < items_x; ++j) sum[i][j] += of_a * of_b[j];
    }
  }
#endif

  for (int i = 0; i < items_y; ++i) {
    for (int j = 0; j < items_x; ++j) {
      int row = first_row + ty + i;
      int column = first_column + tx + j * block_size_x;
      if (row < n && column < n) c[row * n + column] = sum[i][j];
    }
  }
}

// One work-item per element of c, 16 × 16 work-items.
__kernel void gemm_reference(__global const float* a, __global const float* b, __global float* c,
                             int n) {
  int column = get_global_id(0);
  int row = get_global_id(1);
  if (row >= n || column >= n) return;
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + column];
  c[row * n + column] = sum;
}
