#include <cstddef>

extern "C" void expected(void** arguments) {
  const float *l = *(const float**)arguments[0], *b = *(const float**)arguments[1];
  float* x = *(float**)arguments[2];
  const size_t systems = *(int*)arguments[3], n = 32;
  const double shift = *(float*)arguments[4];
#pragma omp parallel for
  for (size_t s = 0; s < systems; ++s) {
    double solution[32];
    for (size_t i = 0; i < n; ++i) {
      double sum = b[s * n + i];
      for (size_t j = 0; j < i; ++j) sum -= l[(s * n + i) * n + j] * solution[j];
      solution[i] = sum / (l[(s * n + i) * n + i] + shift);
      x[s * n + i] = (float)solution[i];
    }
  }
}
