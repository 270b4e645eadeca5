// Products of many signals with themselves at eight lags, and their power: a thread per signal, samples
// interleaved.

constexpr int kLags = 8;

__global__ void autocorrelate(const float* samples, float* products, float* powers, int signals,
                              int length) {
  int signal = blockIdx.x * blockDim.x + threadIdx.x;
  if (signal >= signals) return;

  float window[kLags];
#pragma unroll
  for (int lag = 0; lag < kLags; ++lag) {
    window[lag] = samples[lag * signals + signal];
  }

  float power = 0;
  float sums[kLags] = {};
  for (int i = kLags; i < length; ++i) {
    float next = samples[i * signals + signal];
    power += next * next;
#pragma unroll
    for (int lag = 0; lag < kLags; ++lag) {
      sums[lag] += next * window[lag];
    }
#pragma unroll
    for (int lag = kLags - 1; lag > 0; --lag) {
      window[lag] = window[lag - 1];
    }
    window[0] = next;
  }

  float scale = 1.0f / static_cast<float>(length - kLags);
  powers[signal] = power * scale;
#pragma unroll
  for (int lag = 0; lag < kLags; ++lag) {
    products[lag * signals + signal] = sums[lag] * scale;
  }
}
