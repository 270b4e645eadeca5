// Search for pulsars in the records of a radio telescope: interstellar gas delays a pulse the more,
// the lower the frequency. For 32 trial amounts of gas at once, the powers of all channels are
// summed with the delays undone. A block makes 512 samples of the 32 time series; it goes through
// the channels with the samples it needs of one channel in shared memory.

constexpr int kSamples = 512, kTrials = 32;
constexpr int kSpread = 512;  // longest delay, in samples

// `powers` has a row per channel, of `stride` samples; `slopes` has the delay of each channel per
// trial, in 1/256 sample, below 4096. `series` has a row per trial.
__global__ void __launch_bounds__(kSamples)
    dedisperse(const unsigned char* __restrict__ powers, const int* __restrict__ slopes,
               int* __restrict__ series, int channels, int stride) {
  __shared__ unsigned char window[kSamples + kSpread];
  int thread = threadIdx.x;
  const unsigned char* row = powers + static_cast<size_t>(blockIdx.x) * kSamples + thread;
  int sums[kTrials] = {};
  for (int channel = 0; channel < channels; ++channel) {
    unsigned char early = row[0], late = row[kSamples];
    int slope = slopes[channel];
    window[thread] = early;
    window[thread + kSamples] = late;
    __syncthreads();
#pragma unroll
    for (int trial = 0; trial < kTrials; ++trial) {
      sums[trial] += window[thread + (trial * slope >> 8)];
    }
    __syncthreads();
    row += stride;
  }
  int samples = gridDim.x * kSamples;
  int* out = series + blockIdx.x * kSamples + thread;
#pragma unroll
  for (int trial = 0; trial < kTrials; ++trial) {
    out[static_cast<size_t>(trial) * samples] = sums[trial];
  }
}
