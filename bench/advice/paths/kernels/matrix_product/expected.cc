#include <cstddef>
#include <vector>

extern "C" void expected(void** arguments) {
  const float *a = *(const float**)arguments[0], *b = *(const float**)arguments[1];
  float* c = *(float**)arguments[2];
  const size_t n = *(int*)arguments[3];
#pragma omp parallel for
  for (size_t i = 0; i < n; ++i) {
    std::vector<double> row(n, 0.0);
    for (size_t k = 0; k < n; ++k)
      for (size_t j = 0; j < n; ++j) row[j] += (double)a[i * n + k] * b[k * n + j];
    for (size_t j = 0; j < n; ++j) c[i * n + j] = (float)row[j];
  }
}
