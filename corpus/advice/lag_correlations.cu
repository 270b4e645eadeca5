// How like itself a signal is some time later, for many lags: a row of the grid has a lag, and its
// threads go through all samples in turn. Samples are halves, as the receiver stores them; sums of
// blocks are added up by atomics.
#include <cuda_fp16.h>

#include <cstdint>

struct Sums {
  float product, first, second;
};

__device__ __forceinline__ float warp_sum(float value) {
  for (int away = 16; away > 0; away /= 2) value += __shfl_down_sync(0xffffffffu, value, away);
  return value;
}

__device__ __forceinline__ void add(Sums& sums, __half early, __half late, float offset) {
  float x = __half2float(early) - offset, y = __half2float(late) - offset;
  sums.product += x * y;
  sums.first += x * x;
  sums.second += y * y;
}

__global__ void __launch_bounds__(256)
    lag_correlations(const __half* __restrict__ samples, Sums* __restrict__ results, int64_t count,
                     int lag_step, float offset) {
  int64_t lag = static_cast<int64_t>(blockIdx.y + 1) * lag_step;
  int64_t thread = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;

  Sums sums = {0, 0, 0};
  for (int64_t i = thread; i < count - lag; i += stride) {
    add(sums, samples[i], samples[i + lag], offset);
  }

  sums = {warp_sum(sums.product), warp_sum(sums.first), warp_sum(sums.second)};
  if (threadIdx.x % 32 == 0) {
    atomicAdd(&results[blockIdx.y].product, sums.product);
    atomicAdd(&results[blockIdx.y].first, sums.first);
    atomicAdd(&results[blockIdx.y].second, sums.second);
  }
}
