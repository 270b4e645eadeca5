#include <cstddef>
#include <vector>

extern "C" void expected(void** arguments) {
  const float *a = *(const float**)arguments[0], *b = *(const float**)arguments[1];
  float* c = *(float**)arguments[2];
  const size_t m = *(int*)arguments[3], n = *(int*)arguments[4], k = *(int*)arguments[5];
  std::vector<double> turned(n * k);
  for (size_t j = 0; j < n; ++j)
    for (size_t i = 0; i < k; ++i) turned[i * n + j] = b[j * k + i];
#pragma omp parallel for
  for (size_t row = 0; row < m; ++row) {
    std::vector<double> sum(n);
    for (size_t i = 0; i < k; ++i) {
      const double value = a[row * k + i];
      const double* from = &turned[i * n];
      for (size_t j = 0; j < n; ++j) sum[j] += value * from[j];
    }
    for (size_t j = 0; j < n; ++j) c[row * n + j] = (float)sum[j];
  }
}
