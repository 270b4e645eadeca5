// Layer normalisation of every row of a matrix of rows × columns halves:
// out = (in − mean) / √(variance + 1e-5) · scale + shift. columns must be a multiple of
// vector_width.
//
// block_size_x threads share a row, and a block has block_size_y rows.
//   vector_width  halves per load and store
//   row_cache     where a row stays between the passes over it: 0: nowhere, it is loaded again;
//                 1: in (dynamic) shared memory; 2: in registers
//   one_pass      1: mean and variance from the sums of x and x² in one pass
// row_vectors = ceil(columns / (block_size_x · vector_width)), the vectors of a row per thread.
#include <cuda_fp16.h>

#ifndef block_size_x
#define block_size_x 128
#define block_size_y 2
#define vector_width 8
#define row_cache 2
#define one_pass 0
#endif
#ifndef row_vectors
#define row_vectors 3
#endif

constexpr int kThreads = block_size_x * block_size_y;
constexpr float kEpsilon = 1e-5f;

struct __align__(2 * vector_width) Vector {
  __half at[vector_width];
};

// The sums over the threads of a row. All threads of the block must call it.
__device__ float2 row_sum(float2 value) {
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value.x += __shfl_xor_sync(0xffffffff, value.x, distance);
    value.y += __shfl_xor_sync(0xffffffff, value.y, distance);
  }
#if block_size_x > 32
  constexpr int kWarps = block_size_x / 32;
  __shared__ float2 of_warp[block_size_y][kWarps];
  __syncthreads();  // those of the previous call have been read
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.y][threadIdx.x / 32] = value;
  __syncthreads();
  value = make_float2(0, 0);
#pragma unroll
  for (int w = 0; w < kWarps; ++w) {
    value.x += of_warp[threadIdx.y][w].x;
    value.y += of_warp[threadIdx.y][w].y;
  }
#endif
  return value;
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
    layer_norm(const __half* __restrict__ in, const __half* __restrict__ scale,
               const __half* __restrict__ shift, __half* __restrict__ out, int rows, int columns) {
  int row = blockIdx.x * block_size_y + threadIdx.y;
  bool inside = row < rows;
  int vectors = inside ? columns / vector_width : 0;
  size_t start = static_cast<size_t>(inside ? row : 0) * columns;
  const Vector* from = reinterpret_cast<const Vector*>(in + start);
  Vector* to = reinterpret_cast<Vector*>(out + start);

#if row_cache == 1
  extern __shared__ __align__(16) unsigned char cached_rows[];
  Vector* kept = reinterpret_cast<Vector*>(cached_rows + threadIdx.y * columns * sizeof(__half));
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

  float2 sums = make_float2(0, 0);
  for_each_vector(kept, vectors, [&](const Vector& vector, int) {
#pragma unroll
    for (int v = 0; v < vector_width; ++v) {
      float x = __half2float(vector.at[v]);
      sums.x += x;
#if one_pass
      sums.y += x * x;
#endif
    }
  });
  sums = row_sum(sums);
  float mean = sums.x / columns;
#if one_pass
  float variance = fmaxf(sums.y / columns - mean * mean, 0);
#else
  float2 squares = make_float2(0, 0);
  for_each_vector(kept, vectors, [&](const Vector& vector, int) {
#pragma unroll
    for (int v = 0; v < vector_width; ++v) {
      float difference = __half2float(vector.at[v]) - mean;
      squares.x += difference * difference;
    }
  });
  float variance = row_sum(squares).x / columns;
#endif
  float inverse = rsqrtf(variance + kEpsilon);

  const Vector* scales = reinterpret_cast<const Vector*>(scale);
  const Vector* shifts = reinterpret_cast<const Vector*>(shift);
  for_each_vector(kept, vectors, [&](const Vector& vector, int i) {
    Vector result;
    Vector by = scales[i];
    Vector plus = shifts[i];
#pragma unroll
    for (int v = 0; v < vector_width; ++v) {
      float x = (__half2float(vector.at[v]) - mean) * inverse;
      result.at[v] = __float2half(x * __half2float(by.at[v]) + __half2float(plus.at[v]));
    }
    to[i] = result;
  });
}

// One warp per row, 32 × 4 threads.
extern "C" __global__ void layer_norm_reference(const __half* in, const __half* scale,
                                                const __half* shift, __half* out, int rows,
                                                int columns) {
  int row = blockIdx.x * 4 + threadIdx.y;
  if (row >= rows) return;
  const __half* from = in + static_cast<size_t>(row) * columns;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += 32) sum += __half2float(from[i]);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  float mean = sum / columns;
  float squares = 0;
  for (int i = threadIdx.x; i < columns; i += 32) {
    float difference = __half2float(from[i]) - mean;
    squares += difference * difference;
  }
  for (int d = 16; d > 0; d /= 2) squares += __shfl_xor_sync(~0u, squares, d);
  float deviation = sqrtf(squares / columns + kEpsilon);
  for (int i = threadIdx.x; i < columns; i += 32) {
    float x = (__half2float(from[i]) - mean) / deviation;
    out[static_cast<size_t>(row) * columns + i] =
        __float2half(x * __half2float(scale[i]) + __half2float(shift[i]));
  }
}
