#include <cstddef>

extern "C" void expected(void** arguments) {
  const float *x = *(const float**)arguments[0], *coefficients = *(const float**)arguments[2];
  float* y = *(float**)arguments[1];
  const int degree = *(int*)arguments[3];
  const size_t n = *(int*)arguments[4];
#pragma omp parallel for
  for (size_t i = 0; i < n; ++i) {
    double sum = 0;
    for (int k = degree; k >= 0; --k) sum = sum * x[i] + coefficients[k];
    y[i] = (float)sum;
  }
}
