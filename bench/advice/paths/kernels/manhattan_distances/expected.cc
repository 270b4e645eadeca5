#include <cmath>
#include <cstddef>

extern "C" void expected(void** arguments) {
  const float *a = *(const float**)arguments[0], *b = *(const float**)arguments[1];
  float* distances = *(float**)arguments[2];
  const size_t n = *(int*)arguments[3], m = *(int*)arguments[4], dim = *(int*)arguments[5];
#pragma omp parallel for
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < m; ++j) {
      const float *x = a + i * dim, *y = b + j * dim;
      double even = 0, odd = 0;
      size_t k = 0;
      for (; k + 1 < dim; k += 2) {
        even += std::abs((double)x[k] - y[k]);
        odd += std::abs((double)x[k + 1] - y[k + 1]);
      }
      if (k < dim) even += std::abs((double)x[k] - y[k]);
      distances[i * m + j] = (float)(even + odd);
    }
  }
}
