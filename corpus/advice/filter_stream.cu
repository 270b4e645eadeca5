// A filter of 32 taps over long signals, a block each: chunks of 1024 samples, and the taps' reach
// before them, go through shared memory.

#include <cuda_pipeline_primitives.h>

constexpr int kTaps = 32, kChunk = 1024, kThreads = 256;

__global__ void __launch_bounds__(kThreads)
    filter_stream(const float* __restrict__ signals, const float* __restrict__ taps,
                  float* __restrict__ filtered, int length) {
  __shared__ float chunk[kTaps + kChunk];
  __shared__ float weights[kTaps];
  const float* signal = signals + static_cast<size_t>(blockIdx.x) * length;
  float* result = filtered + static_cast<size_t>(blockIdx.x) * length;
  if (threadIdx.x < kTaps) {
    weights[threadIdx.x] = taps[threadIdx.x];
    chunk[threadIdx.x] = 0;
  }

  for (int base = 0; base < length; base += kChunk) {
    for (int k = threadIdx.x; k < kChunk; k += kThreads) chunk[kTaps + k] = signal[base + k];
    __syncthreads();

    float sums[kChunk / kThreads] = {};
#pragma unroll
    for (int tap = 0; tap < kTaps; ++tap) {
      float weight = weights[tap];
#pragma unroll
      for (int k = 0; k < kChunk / kThreads; ++k) {
        sums[k] += weight * chunk[threadIdx.x + k * kThreads + tap + 1];
      }
    }
#pragma unroll
    for (int k = 0; k < kChunk / kThreads; ++k) {
      result[base + threadIdx.x + k * kThreads] = sums[k];
    }
    __syncthreads();
    if (threadIdx.x < kTaps) chunk[threadIdx.x] = chunk[kChunk + threadIdx.x];
    __syncthreads();
  }
}
