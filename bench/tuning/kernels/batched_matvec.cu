// y = A · x for a batch of small matrices of n × n floats, row by row. n is at most 64 and a
// multiple of vector_width.
//
// block_size_x threads share a row, block_size_y rows are computed at once, and a block has
// block_size_z matrices.
//   vector_width   elements per load
//   rows_per_step  rows of a thread whose loads may overlap
//   use_shared     1: x is copied to shared memory
#ifndef block_size_x
#define block_size_x 8
#define block_size_y 12
#define block_size_z 2
#define vector_width 2
#define rows_per_step 1
#define use_shared 1
#endif

constexpr int kThreads = block_size_x * block_size_y * block_size_z;

struct __align__(4 * vector_width) Vector {
  float at[vector_width];
};

extern "C" __global__ void __launch_bounds__(kThreads)
    batched_matvec(const float* __restrict__ matrices, const float* __restrict__ x,
                   float* __restrict__ y, int n, int batch) {
  int matrix = blockIdx.x * block_size_z + threadIdx.z;
  bool inside = matrix < batch;
  if (!inside) matrix = batch - 1;
  const float* a = matrices + static_cast<size_t>(matrix) * n * n;
  const float* of_x = x + static_cast<size_t>(matrix) * n;
#if use_shared
  constexpr int kMaxColumns = 64;
  __shared__ __align__(16) float kept_x[block_size_z][kMaxColumns];
  for (int i = threadIdx.y * block_size_x + threadIdx.x; i < n; i += block_size_x * block_size_y) {
    kept_x[threadIdx.z][i] = of_x[i];
  }
  __syncthreads();
  of_x = kept_x[threadIdx.z];
#endif

  // All threads take the same number of steps, so that whole warps take part in the shuffles.
  for (int first = 0; first < n; first += block_size_y * rows_per_step) {
    float sum[rows_per_step] = {};
    for (int column = threadIdx.x * vector_width; column < n;
         column += block_size_x * vector_width) {
      Vector factors = *reinterpret_cast<const Vector*>(&of_x[column]);
#pragma unroll
      for (int r = 0; r < rows_per_step; ++r) {
        int row = min(first + r * block_size_y + static_cast<int>(threadIdx.y), n - 1);
        Vector elements = *reinterpret_cast<const Vector*>(&a[row * n + column]);
#pragma unroll
        for (int v = 0; v < vector_width; ++v) sum[r] += elements.at[v] * factors.at[v];
      }
    }
#pragma unroll
    for (int r = 0; r < rows_per_step; ++r) {
#pragma unroll
      for (int distance = block_size_x / 2; distance > 0; distance /= 2) {
        sum[r] += __shfl_xor_sync(0xffffffff, sum[r], distance);
      }
      int row = first + r * block_size_y + threadIdx.y;
      if (threadIdx.x == 0 && inside && row < n) y[static_cast<size_t>(matrix) * n + row] = sum[r];
    }
  }
}

// One thread per row, 256 threads.
extern "C" __global__ void batched_matvec_reference(const float* matrices, const float* x, float* y,
                                                    int n, int batch) {
  int row = blockIdx.x * 256 + threadIdx.x;
  if (row >= n * batch) return;
  float sum = 0;
  for (int i = 0; i < n; ++i)
    sum += matrices[static_cast<size_t>(row) * n + i] * x[row / n * n + i];
  y[row] = sum;
}
