#include <cstddef>

extern "C" void expected(void** arguments) {
  const float* signals = *(const float**)arguments[0];
  float* out = *(float**)arguments[1];
  const int samples = *(int*)arguments[2], lags = *(int*)arguments[3];
  const int channels = 256;
#pragma omp parallel for
  for (int channel = 0; channel < channels; ++channel) {
    const float* x = signals + (size_t)channel * samples;
    for (int lag = 0; lag < lags; ++lag) {
      double sums[4] = {};
      int t = 0;
      for (; t + 3 + lag < samples; t += 4)
        for (int k = 0; k < 4; ++k) sums[k] += (double)x[t + k] * x[t + k + lag];
      for (; t + lag < samples; ++t) sums[0] += (double)x[t] * x[t + lag];
      out[(size_t)channel * lags + lag] =
          (float)((sums[0] + sums[1] + sums[2] + sums[3]) / (samples - lag));
    }
  }
}
