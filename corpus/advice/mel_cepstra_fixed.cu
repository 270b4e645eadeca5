// Mel-frequency cepstral coefficients of music, a block per frame in turn: the power spectrum of
// the frame is summed by triangular filters, evenly spaced on the mel scale, and the logarithms of
// the sums go through a discrete cosine transform.

constexpr int kBins = 4096, kFilters = 64, kCoefficients = 32;
constexpr int kThreads = 512, kWarps = kThreads / 32;

// Position of the k-th corner of the filters in the spectrum, in bins.
__device__ __forceinline__ float corner(int k, float nyquist) {
  float top = 1127.0f * logf(1.0f + nyquist / 700.0f);
  float hertz = 700.0f * (expf(top * k / (1127.0f * (kFilters + 1))) - 1.0f);
  return fminf(hertz * kBins / nyquist, kBins - 1.0f);
}

__device__ __forceinline__ float warp_sum(float value) {
  for (int step = 16; step > 0; step >>= 1) value += __shfl_xor_sync(~0u, value, step);
  return value;
}

__global__ void __launch_bounds__(kThreads)
    mel_cepstra(const float* __restrict__ power, float* __restrict__ cepstra, int frames,
                float nyquist) {
  __shared__ float corners[kFilters + 2];
  __shared__ float logs[kFilters];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x < kFilters + 2) corners[threadIdx.x] = corner(threadIdx.x, nyquist);
  __syncthreads();

  for (int frame = blockIdx.x; frame < frames; frame += gridDim.x) {
    const float* spectrum = power + static_cast<size_t>(frame) * kBins;
    for (int k = 0; k < kFilters / kWarps; ++k) {
      int filter = k * kWarps + warp;
      float left = corners[filter], peak = corners[filter + 1], right = corners[filter + 2];
      float rising = 1.0f / (peak - left), falling = 1.0f / (right - peak);
      int end = static_cast<int>(right) + 1;
      float sum = 0;
      for (int start = static_cast<int>(left) + lane; start < end; start += 4 * 32) {
#pragma unroll
        for (int part = 0; part < 4; ++part) {
          int bin = start + 32 * part;
          float weight = fminf((bin - left) * rising, (right - bin) * falling);
          sum += fmaxf(weight, 0.0f) * spectrum[min(bin, kBins - 1)];
        }
      }
      sum = warp_sum(sum);
      if (lane == 0) logs[filter] = __logf(sum + 1e-6f);
    }
    __syncthreads();
    for (int k = warp; k < kCoefficients; k += kWarps) {
      float sum = 0;
      for (int filter = lane; filter < kFilters; filter += 32) {
        sum += logs[filter] * __cosf(3.14159265f / kFilters * (filter + 0.5f) * k);
      }
      sum = warp_sum(sum);
      if (lane == 0) cepstra[frame * kCoefficients + k] = sum;
    }
    __syncthreads();
  }
}
