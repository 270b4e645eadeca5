#include <cmath>
#include <cstddef>
#include <vector>

extern "C" void expected(void** arguments) {
  const float* matrices = *(const float**)arguments[0];
  float* factors = *(float**)arguments[1];
  const size_t count = *(int*)arguments[2], n = *(int*)arguments[3];
  const double shift = *(float*)arguments[4];
#pragma omp parallel for
  for (size_t m = 0; m < count; ++m) {
    const float* a = matrices + m * n * n;
    std::vector<double> l(n * n, 0.0);
    for (size_t i = 0; i < n; ++i) {
      for (size_t j = 0; j <= i; ++j) {
        double sum = a[i * n + j] + (i == j ? shift : 0);
        for (size_t k = 0; k < j; ++k) sum -= l[i * n + k] * l[j * n + k];
        l[i * n + j] = i == j ? std::sqrt(sum) : sum / l[j * n + j];
      }
    }
    for (size_t i = 0; i < n * n; ++i) factors[m * n * n + i] = (float)l[i];
  }
}
