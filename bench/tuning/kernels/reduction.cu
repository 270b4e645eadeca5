// The sum of n floats in two launches: sum_parts adds up one part per block, sum_total the parts.
// n must be a multiple of vector_width.
//
//   blocks_per_sm      blocks of the first launch for each SM
//   vector_width       elements per load
//   loads_per_step     loads that a thread issues before it adds
//   contiguous_ranges  0: the grid walks over the array together; 1: each block has its own range
//   use_shuffle        0: a block adds up its threads' sums in shared memory; 1: each warp adds up
//                      its own by shuffles first
//   final_threads      threads of a block of sum_total
#ifndef block_size_x
#define block_size_x 256
#define blocks_per_sm 4
#define vector_width 4
#define loads_per_step 2
#define contiguous_ranges 0
#define use_shuffle 1
#define final_threads 256
#endif

struct __align__(4 * vector_width) Vector {
  float at[vector_width];
};

// The sum of `value` over the block's threads, in thread 0. `kThreads` is a power of two.
template <int kThreads>
__device__ float block_sum(float value) {
#if use_shuffle
  __shared__ float of_warp[kThreads / 32];
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    value += __shfl_xor_sync(0xffffffff, value, distance);
  }
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = value;
  __syncthreads();
  if (threadIdx.x < 32) {
    value = threadIdx.x < kThreads / 32 ? of_warp[threadIdx.x] : 0.0f;
#pragma unroll
    for (int distance = 16; distance > 0; distance /= 2) {
      value += __shfl_xor_sync(0xffffffff, value, distance);
    }
  }
  return value;
#else
  __shared__ float of_thread[kThreads];
  of_thread[threadIdx.x] = value;
  __syncthreads();
#pragma unroll
  for (int distance = kThreads / 2; distance > 0; distance /= 2) {
    if (threadIdx.x < distance) of_thread[threadIdx.x] += of_thread[threadIdx.x + distance];
    __syncthreads();
  }
  return of_thread[0];
#endif
}

// part[b] = sum of the elements of block b; total = 0.
extern "C" __global__ void __launch_bounds__(block_size_x)
    sum_parts(const float* __restrict__ in, float* __restrict__ total, float* __restrict__ part,
              int n) {
  const Vector* vectors = reinterpret_cast<const Vector*>(in);
  int count = n / vector_width;
#if contiguous_ranges
  int per_block = (count + gridDim.x - 1) / gridDim.x;
  int first = blockIdx.x * per_block + threadIdx.x;
  int end = min(count, static_cast<int>(blockIdx.x + 1) * per_block);
  int step = block_size_x;
#else
  int first = blockIdx.x * block_size_x + threadIdx.x;
  int end = count;
  int step = gridDim.x * block_size_x;
#endif

  float sum[loads_per_step] = {};
  int i = first;
  for (; i + (loads_per_step - 1) * step < end; i += loads_per_step * step) {
    Vector loaded[loads_per_step];
#pragma unroll
    for (int l = 0; l < loads_per_step; ++l) loaded[l] = vectors[i + l * step];
#pragma unroll
    for (int l = 0; l < loads_per_step; ++l) {
#pragma unroll
      for (int v = 0; v < vector_width; ++v) sum[l] += loaded[l].at[v];
    }
  }
  for (; i < end; i += step) {
    Vector loaded = vectors[i];
#pragma unroll
    for (int v = 0; v < vector_width; ++v) sum[0] += loaded.at[v];
  }
  float all = 0;
#pragma unroll
  for (int l = 0; l < loads_per_step; ++l) all += sum[l];
  all = block_sum<block_size_x>(all);
  if (threadIdx.x == 0) {
    part[blockIdx.x] = all;
    if (blockIdx.x == 0) *total = 0;
  }
}

// total += the sum of `count` parts.
extern "C" __global__ void __launch_bounds__(final_threads)
    sum_total(const float* __restrict__ part, float* __restrict__ total, int count) {
  float sum = 0;
  for (int i = blockIdx.x * final_threads + threadIdx.x; i < count;
       i += gridDim.x * final_threads) {
    sum += part[i];
  }
  sum = block_sum<final_threads>(sum);
  if (threadIdx.x == 0) atomicAdd(total, sum);
}

// One block of 1024 threads adds in double precision.
extern "C" __global__ void sum_reference(const float* in, float* total, float* part, int n) {
  __shared__ double of_thread[1024];
  double sum = 0;
  for (int i = threadIdx.x; i < n; i += 1024) sum += in[i];
  of_thread[threadIdx.x] = sum;
  __syncthreads();
  for (int distance = 512; distance > 0; distance /= 2) {
    if (threadIdx.x < distance) of_thread[threadIdx.x] += of_thread[threadIdx.x + distance];
    __syncthreads();
  }
  if (threadIdx.x == 0) *total = static_cast<float>(of_thread[0]);
}
