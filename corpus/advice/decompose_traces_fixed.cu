// Multiresolution analysis of seismic traces by the Haar transform. A block transforms 512 samples
// in place in shared memory: on each level, pairs of averages become their average and their
// difference, weighted for the level. Weak differences are set to zero, which removes noise.

constexpr int kThreads = 256, kSamples = 2 * kThreads;

__device__ __forceinline__ float soft_threshold(float x, float limit) {
  float beyond = fabsf(x) - limit;
  return beyond > 0 ? copysignf(beyond, x) : 0.0f;
}

__global__ void __launch_bounds__(kThreads)
    decompose_traces(const float2* __restrict__ traces, float2* __restrict__ coefficients,
                     int levels, float noise) {
  __shared__ float samples[kSamples];
  int t = threadIdx.x;
  size_t first = static_cast<size_t>(blockIdx.x) * kThreads;
  float2 pair = traces[first + t];
  samples[2 * t] = pair.x;
  samples[2 * t + 1] = pair.y;
  __syncthreads();

  float weight = 1.0f, limit = noise;
  for (int level = 1; level <= levels; ++level) {
    weight *= 1.41421356f;
    limit *= 0.5f;
    for (int k = t; k < kSamples >> level; k += kThreads) {
      int even = k << level, odd = even + (1 << (level - 1));
      float average = 0.5f * (samples[even] + samples[odd]);
      float difference = samples[odd] - samples[even];
      samples[even] = average;
      samples[odd] = weight * soft_threshold(difference, limit);
    }
    __syncthreads();
  }
  coefficients[first + t] = {samples[2 * t], samples[2 * t + 1]};
}
