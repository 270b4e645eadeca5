// Running sums over segments of 4096 values, a block for each: a thread adds up 32 neighbours.

constexpr int kEach = 32;
constexpr int kThreads = 128;

__device__ __forceinline__ int slot(int i) {
  return i;
}

__global__ void __launch_bounds__(kThreads)
    scan_segments(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float values[kThreads * kEach + kThreads];
  __shared__ float sums[kThreads / 32];
  int first = blockIdx.x * kThreads * kEach;
  if (first >= n) return;
  for (int i = threadIdx.x; i < kThreads * kEach; i += kThreads) values[slot(i)] = in[first + i];
  __syncthreads();

  int place = slot(threadIdx.x * kEach);
  float running = 0;
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    running += values[place + k];
    values[place + k] = running;
  }

  float before = running;
#pragma unroll
  for (int step = 1; step < 32; step *= 2) {
    float other = __shfl_up_sync(0xffffffff, before, step);
    if (threadIdx.x % 32 >= step) before += other;
  }
  if (threadIdx.x % 32 == 31) sums[threadIdx.x / 32] = before;
  before -= running;
  __syncthreads();
  for (int warp = 0; warp < threadIdx.x / 32; ++warp) before += sums[warp];
#pragma unroll
  for (int k = 0; k < kEach; ++k) values[place + k] += before;
  __syncthreads();
  for (int i = threadIdx.x; i < kThreads * kEach; i += kThreads) out[first + i] = values[slot(i)];
}
