// Activations of a network made bytes for the next product: smoothed by a factor of their
// channel, scaled by the peak of their token, rounded and held within the range. How many were out
// of range is counted by token, for calibration.

#include <cuda_fp16.h>

struct Range {
  float low, high;
};

__device__ __forceinline__ signed char quantized(float value, float scale, const Range& range,
                                                 int& clipped) {
  float scaled = rintf(value * scale);
  if (scaled < range.low || scaled > range.high) ++clipped;
  return static_cast<signed char>(fminf(fmaxf(scaled, range.low), range.high));
}

// A block per token; channels are a multiple of 1024.
__global__ void quantize_tokens(const __half* __restrict__ tokens, const float* __restrict__ peaks,
                                const __half* __restrict__ smoothing,
                                signed char* __restrict__ bytes, int* __restrict__ clips,
                                int channels, Range range) {
  __shared__ int block_clips;
  if (threadIdx.x == 0) block_clips = 0;
  __syncthreads();
  size_t first = static_cast<size_t>(blockIdx.x) * channels;
  float scale = range.high / peaks[blockIdx.x];
  int clipped = 0;

  for (int channel = threadIdx.x; channel < channels; channel += blockDim.x) {
    float value = __half2float(tokens[first + channel]) * __half2float(smoothing[channel]);
    bytes[first + channel] = quantized(value, scale, range, clipped);
  }

  clipped = __reduce_add_sync(~0u, clipped);
  if (threadIdx.x % 32 == 0 && clipped != 0) atomicAdd(&block_clips, clipped);
  __syncthreads();
  if (threadIdx.x == 0) clips[blockIdx.x] = block_clips;
}
