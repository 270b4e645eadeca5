#include <algorithm>

extern "C" void expected(void** arguments) {
  const float *in = *(const float**)arguments[0], *taps = *(const float**)arguments[1];
  float* out = *(float**)arguments[2];
  const long n = *(int*)arguments[3], num_taps = *(int*)arguments[4];
#pragma omp parallel for
  for (long i = 0; i < n; ++i) {
    double sum = 0;
    for (long k = 0; k < std::min(num_taps, i + 1); ++k) sum += (double)taps[k] * in[i - k];
    out[i] = (float)sum;
  }
}
