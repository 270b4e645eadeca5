#include <cstddef>

extern "C" void expected(void** arguments) {
  const float *x = *(const float**)arguments[0], *y = *(const float**)arguments[1];
  const size_t n = *(int*)arguments[3];
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (size_t i = 0; i < n; ++i) sum += (double)x[i] * y[i];
  **(float**)arguments[2] += (float)sum;
}
