// Softmax of every row of a matrix of rows × columns floats. columns must be a multiple of
// vector_width.
//
// block_size_x threads share a row, and a block has block_size_y rows.
//   vector_width   elements per load and store
//   row_cache      where a row stays between the passes over it: 0: nowhere, it is loaded again;
//                  1: in (dynamic) shared memory; 2: in registers
//   online_sum     0: one pass for the largest element and one for the sum; 1: both in one pass,
//                  which rescales the sum when a larger element is found
//   fast_exp       1: __expf
// row_vectors = ceil(columns / (block_size_x · vector_width)), the vectors of a row per thread.
#ifndef block_size_x
#define block_size_x 256
#define block_size_y 1
#define vector_width 4
#define row_cache 2
#define online_sum 0
#define fast_exp 1
#endif
#ifndef row_vectors
#define row_vectors 4
#endif

constexpr int kThreads = block_size_x * block_size_y;
constexpr float kLowest = -3.4e38f;

struct __align__(4 * vector_width) Vector {
  float at[vector_width];
};

__device__ float exponential(float x) {
#if fast_exp
  return __expf(x);
#else
  return expf(x);
#endif
}

// The largest element so far, and the sum of exp(element - largest).
struct Total {
  float largest;
  float sum;
};

__device__ Total merge(Total a, Total b) {
  float largest = fmaxf(a.largest, b.largest);
  return {largest,
          a.sum * exponential(a.largest - largest) + b.sum * exponential(b.largest - largest)};
}

// Merges the totals of the threads of a row. All threads of the block must call it.
__device__ Total merge_row(Total total) {
  constexpr int kLanes = block_size_x < 32 ? block_size_x : 32;
#pragma unroll
  for (int distance = kLanes / 2; distance > 0; distance /= 2) {
    Total other = {__shfl_xor_sync(0xffffffff, total.largest, distance),
                   __shfl_xor_sync(0xffffffff, total.sum, distance)};
    total = merge(total, other);
  }
#if block_size_x > 32
  constexpr int kWarps = block_size_x / 32;
  __shared__ Total of_warp[block_size_y][kWarps];
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.y][threadIdx.x / 32] = total;
  __syncthreads();
  total = of_warp[threadIdx.y][0];
#pragma unroll
  for (int w = 1; w < kWarps; ++w) total = merge(total, of_warp[threadIdx.y][w]);
#endif
  return total;
}

// Calls f(vector, its index) for the thread's vectors of a row. `kept` holds these (row_cache 2) or
// the whole row.
template <typename Kept, typename Function>
__device__ void for_each_vector(const Kept& kept, int vectors, Function f) {
#if row_cache == 2
#pragma unroll
  for (int k = 0; k < row_vectors; ++k) {
    int i = threadIdx.x + k * block_size_x;
    if (i < vectors) f(kept[k], i);
  }
#else
  for (int i = threadIdx.x; i < vectors; i += block_size_x) {
    Vector vector = kept[i];  // one load
    f(vector, i);
  }
#endif
}

extern "C" __global__ void __launch_bounds__(kThreads)
    softmax(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
  int row = blockIdx.x * block_size_y + threadIdx.y;
  bool inside = row < rows;
  int vectors = inside ? columns / vector_width : 0;
  size_t start = static_cast<size_t>(inside ? row : 0) * columns;
  const Vector* from = reinterpret_cast<const Vector*>(in + start);
  Vector* to = reinterpret_cast<Vector*>(out + start);

#if row_cache == 1
  extern __shared__ __align__(16) float cached_rows[];
  Vector* kept = reinterpret_cast<Vector*>(cached_rows + threadIdx.y * columns);
  for (int i = threadIdx.x; i < vectors; i += block_size_x) kept[i] = from[i];
  // Each thread reads back only what it wrote.
#elif row_cache == 2
  Vector kept[row_vectors];
#pragma unroll
  for (int k = 0; k < row_vectors; ++k) {
    int i = threadIdx.x + k * block_size_x;
    if (i < vectors) kept[k] = from[i];
  }
#else
  const Vector* kept = from;
#endif

  Total total = {kLowest, 0};
#if online_sum
  for_each_vector(kept, vectors, [&](const Vector& vector, int) {
#pragma unroll
    for (int v = 0; v < vector_width; ++v) {
      float x = vector.at[v];
      if (x > total.largest) {
        total.sum *= exponential(total.largest - x);
        total.largest = x;
      }
      total.sum += exponential(x - total.largest);
    }
  });
#else
  for_each_vector(kept, vectors, [&](const Vector& vector, int) {
#pragma unroll
    for (int v = 0; v < vector_width; ++v) total.largest = fmaxf(total.largest, vector.at[v]);
  });
  for_each_vector(kept, vectors, [&](const Vector& vector, int) {
#pragma unroll
    for (int v = 0; v < vector_width; ++v) total.sum += exponential(vector.at[v] - total.largest);
  });
#endif
  total = merge_row(total);
  float scale = 1.0f / total.sum;
  for_each_vector(kept, vectors, [&](const Vector& vector, int i) {
    Vector result;
#pragma unroll
    for (int v = 0; v < vector_width; ++v) {
      result.at[v] = exponential(vector.at[v] - total.largest) * scale;
    }
    to[i] = result;
  });
}

// One warp per row, 32 × 4 threads.
extern "C" __global__ void softmax_reference(const float* in, float* out, int rows, int columns) {
  int row = blockIdx.x * 4 + threadIdx.y;
  if (row >= rows) return;
  const float* from = in + static_cast<size_t>(row) * columns;
  float largest = kLowest;
  for (int i = threadIdx.x; i < columns; i += 32) largest = fmaxf(largest, from[i]);
  for (int d = 16; d > 0; d /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, d));
  double sum = 0;
  for (int i = threadIdx.x; i < columns; i += 32) sum += expf(from[i] - largest);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  for (int i = threadIdx.x; i < columns; i += 32) {
    out[static_cast<size_t>(row) * columns + i] = static_cast<float>(expf(from[i] - largest) / sum);
  }
}
