// y = A · x for a sparse matrix in compressed rows (CSR).
//
// A group of lanes_per_row threads computes rows_per_group rows, one after the other.
//   adjacent_rows  0: a group's rows are as far apart as the grid has groups; 1: they are adjacent
//   unroll_entries unroll factor of the loop over a row's entries
//   use_ldg        1: x is loaded with __ldg
#ifndef block_size_x
#define block_size_x 128
#define lanes_per_row 8
#define rows_per_group 1
#define adjacent_rows 0
#define unroll_entries 2
#define use_ldg 1
#endif

constexpr int kUnroll = unroll_entries;

extern "C" __global__ void __launch_bounds__(block_size_x)
    spmv(const int* __restrict__ row_start, const int* __restrict__ columns,
         const float* __restrict__ values, const float* x, float* y, int rows) {
  int thread = blockIdx.x * block_size_x + threadIdx.x;
  int group = thread / lanes_per_row;
  int lane = thread % lanes_per_row;
  // All threads take the same number of steps, so that whole warps take part in the shuffles.
#pragma unroll 1
  for (int r = 0; r < rows_per_group; ++r) {
#if adjacent_rows
    int row = group * rows_per_group + r;
#else
    int row = group + r * gridDim.x * (block_size_x / lanes_per_row);
#endif
    int first = row < rows ? row_start[row] : 0;
    int end = row < rows ? row_start[row + 1] : 0;
    float sum = 0;
#pragma unroll kUnroll
    for (int i = first + lane; i < end; i += lanes_per_row) {
#if use_ldg
      sum += values[i] * __ldg(&x[columns[i]]);
#else
      sum += values[i] * x[columns[i]];
#endif
    }
#pragma unroll
    for (int distance = lanes_per_row / 2; distance > 0; distance /= 2) {
      sum += __shfl_xor_sync(0xffffffff, sum, distance);
    }
    if (lane == 0 && row < rows) y[row] = sum;
  }
}

// One thread per row, 256 threads.
extern "C" __global__ void spmv_reference(const int* row_start, const int* columns,
                                          const float* values, const float* x, float* y, int rows) {
  int row = blockIdx.x * 256 + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = row_start[row]; i < row_start[row + 1]; ++i) sum += values[i] * x[columns[i]];
  y[row] = sum;
}
