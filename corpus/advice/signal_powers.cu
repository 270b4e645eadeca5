// The energy of signals of 48 KB above each of several levels: a block goes over its signal once
// for every level, then takes the next signal.

__global__ void signal_powers(const float* __restrict__ signals, float* __restrict__ powers,
                              int length, int count, int levels) {
  constexpr int kThreads = 128, kAtOnce = 8;
  for (int number = blockIdx.x; number < count; number += gridDim.x) {
    const float* signal = signals + static_cast<size_t>(number) * length;
    float total = 0;
    float greatest = 0;

    for (int level = 0; level < levels; ++level) {
      float above = static_cast<float>(level) / static_cast<float>(levels);
      float power[kAtOnce] = {};
      for (int i = threadIdx.x; i < length; i += kAtOnce * kThreads) {
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
          float value = signal[i + k * kThreads];
          float excess = fmaxf(value - above, 0.0f);
          power[k] += excess * excess;
        }
      }

      float sum = 0;
#pragma unroll
      for (int k = 0; k < kAtOnce; ++k) sum += power[k];
      greatest = fmaxf(greatest, sum);
      total += sum * above;
    }

    float result = total + 0.5f * greatest;
    result *= 1.0f / static_cast<float>(length);
    powers[number * kThreads + threadIdx.x] = result;
  }
}
