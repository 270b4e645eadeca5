// Tensor contractions of the coupled-cluster method in double precision, in the style of the
// kernels sd_t_d1_5 and sd_t_d1_6 that the SAAKE paper optimises. All six extents and that of h7
// are `extent`; the first index of a tensor is the fastest.
//
//   contraction_variant 5: out(h3,h1,h2,p5,p4,p6) = t3(…) + Σ t2(h7,p4,p5,h1) · v2(h3,h2,p6,h7)
//   contraction_variant 6: out(h1,h3,h2,p5,p4,p6) = t3(…) − Σ t2(h7,p4,p5,h1) · v2(h3,h2,p6,h7)
//
// It is a matrix product: a row is a triple (h1,p4,p5), a column a triple (h3,h2,p6). A thread
// computes tile_x × tile_y elements that are block_size_x and block_size_y apart.
//   tile_k           values of h7 in shared memory at a time
//   x_over_rows      0: threadIdx.x runs over columns, 1: over rows
//   index_in_shared  1: a block computes its rows' and columns' addresses once, in shared memory;
//                    0: each thread computes those it needs
//   split_writes     1: a thread loads all its elements of t3 before it stores the first result
#ifndef block_size_x
#define block_size_x 16
#define block_size_y 16
#define tile_x 2
#define tile_y 3
#define tile_k 16
#define x_over_rows 0
#define index_in_shared 0
#define split_writes 0
#endif
#ifndef contraction_variant
#define contraction_variant 5
#endif

constexpr int kThreads = block_size_x * block_size_y;
constexpr int kTileX = block_size_x * tile_x;
constexpr int kTileY = block_size_y * tile_y;
constexpr int kRows = x_over_rows ? kTileX : kTileY;
constexpr int kColumns = x_over_rows ? kTileY : kTileX;

// Where row (h1,p4,p5), h1 fastest, starts in t2.
__device__ int t2_offset(int row, int extent) {
  int h1 = row % extent;
  int p4 = row / extent % extent;
  int p5 = row / (extent * extent);
  return extent * (p4 + extent * (p5 + extent * h1));
}

// The offset of an element in t3 and out is that of its row plus that of its column.
__device__ int out_offset_of_row(int row, int extent) {
  int h1 = row % extent;
  int p4 = row / extent % extent;
  int p5 = row / (extent * extent);
  int outer = extent * extent * extent * (p5 + extent * p4);
  return contraction_variant == 5 ? extent * h1 + outer : h1 + outer;
}

__device__ int out_offset_of_column(int column, int extent) {
  int h3 = column % extent;
  int h2 = column / extent % extent;
  int p6 = column / (extent * extent);
  int outer = extent * extent * (h2 + extent * extent * extent * p6);
  return contraction_variant == 5 ? h3 + outer : extent * h3 + outer;
}

__device__ double combined(double old, double sum) {
  return contraction_variant == 5 ? old + sum : old - sum;
}

// `t3` and `out` are not __restrict__: as far as the compiler knows, a store to out may change t3.
extern "C" __global__ void __launch_bounds__(kThreads)
    contraction(const double* __restrict__ t2, const double* __restrict__ v2, const double* t3,
                double* out, int extent) {
  __shared__ double tile_t2[tile_k][kRows + 1];
  __shared__ double tile_v2[tile_k][kColumns];
  int size = extent * extent * extent;  // rows, and columns
  int thread = threadIdx.y * block_size_x + threadIdx.x;
  int first_row = (x_over_rows ? blockIdx.x : blockIdx.y) * kRows;
  int first_column = (x_over_rows ? blockIdx.y : blockIdx.x) * kColumns;

#if index_in_shared
  __shared__ int in_t2[kRows];
  __shared__ int in_out_row[kRows];
  __shared__ int in_out_column[kColumns];
  for (int i = thread; i < kRows; i += kThreads) {
    in_t2[i] = t2_offset(first_row + i, extent);
    in_out_row[i] = out_offset_of_row(first_row + i, extent);
  }
  for (int i = thread; i < kColumns; i += kThreads) {
    in_out_column[i] = out_offset_of_column(first_column + i, extent);
  }
  __syncthreads();
#endif

  double sum[tile_y][tile_x] = {};
  for (int first_k = 0; first_k < extent; first_k += tile_k) {
    for (int i = thread; i < kRows * tile_k; i += kThreads) {
      int k = i % tile_k;
      int row = i / tile_k;
      double value = 0;
      if (first_row + row < size && first_k + k < extent) {
#if index_in_shared
        value = t2[in_t2[row] + first_k + k];
#else
        value = t2[t2_offset(first_row + row, extent) + first_k + k];
#endif
      }
      tile_t2[k][row] = value;
    }
    for (int i = thread; i < kColumns * tile_k; i += kThreads) {
      int k = i / kColumns;
      int column = i % kColumns;
      bool inside = first_column + column < size && first_k + k < extent;
      tile_v2[k][column] = inside ? v2[first_column + column + size * (first_k + k)] : 0.0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < tile_k; ++k) {
      double x[tile_x];
      double y[tile_y];
#pragma unroll
      for (int j = 0; j < tile_x; ++j) {
        int at = threadIdx.x + j * block_size_x;
        x[j] = x_over_rows ? tile_t2[k][at] : tile_v2[k][at];
      }
#pragma unroll
      for (int i = 0; i < tile_y; ++i) {
        int at = threadIdx.y + i * block_size_y;
        y[i] = x_over_rows ? tile_v2[k][at] : tile_t2[k][at];
      }
#pragma unroll
      for (int i = 0; i < tile_y; ++i) {
#pragma unroll
        for (int j = 0; j < tile_x; ++j) sum[i][j] += y[i] * x[j];
      }
    }
    __syncthreads();
  }

  // Offset of element (i, j) of the thread in t3 and out, or -1 outside.
  auto offset = [&](int i, int j) {
    int at_x = threadIdx.x + j * block_size_x;
    int at_y = threadIdx.y + i * block_size_y;
    int row = x_over_rows ? at_x : at_y;
    int column = x_over_rows ? at_y : at_x;
    if (first_row + row >= size || first_column + column >= size) return -1;
#if index_in_shared
    return in_out_row[row] + in_out_column[column];
#else
    return out_offset_of_row(first_row + row, extent) +
           out_offset_of_column(first_column + column, extent);
#endif
  };
#if split_writes
  int offsets[tile_y][tile_x];
#pragma unroll
  for (int i = 0; i < tile_y; ++i) {
#pragma unroll
    for (int j = 0; j < tile_x; ++j) offsets[i][j] = offset(i, j);
  }
#pragma unroll
  for (int i = 0; i < tile_y; ++i) {
#pragma unroll
    for (int j = 0; j < tile_x; ++j) {
      if (offsets[i][j] >= 0) sum[i][j] = combined(t3[offsets[i][j]], sum[i][j]);
    }
  }
#pragma unroll
  for (int i = 0; i < tile_y; ++i) {
#pragma unroll
    for (int j = 0; j < tile_x; ++j) {
      if (offsets[i][j] >= 0) out[offsets[i][j]] = sum[i][j];
    }
  }
#else
#pragma unroll
  for (int i = 0; i < tile_y; ++i) {
#pragma unroll
    for (int j = 0; j < tile_x; ++j) {
      int at = offset(i, j);
      if (at >= 0) out[at] = combined(t3[at], sum[i][j]);
    }
  }
#endif
}

// One thread per element, 256 threads.
extern "C" __global__ void contraction_reference(const double* t2, const double* v2,
                                                 const double* t3, double* out, int extent) {
  int size = extent * extent * extent;
  int at = blockIdx.x * 256 + threadIdx.x;
  if (at >= size * size) return;
  int index[6];  // of out, the fastest first
  for (int i = 0, rest = at; i < 6; ++i, rest /= extent) index[i] = rest % extent;
  int h3 = contraction_variant == 5 ? index[0] : index[1];
  int h1 = contraction_variant == 5 ? index[1] : index[0];
  int h2 = index[2], p5 = index[3], p4 = index[4], p6 = index[5];
  double sum = 0;
  for (int h7 = 0; h7 < extent; ++h7) {
    sum += t2[h7 + extent * (p4 + extent * (p5 + extent * h1))] *
           v2[h3 + extent * (h2 + extent * (p6 + extent * h7))];
  }
  out[at] = combined(t3[at], sum);
}
