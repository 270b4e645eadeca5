#include <cstddef>

extern "C" void expected(void** arguments) {
  const float *a = *(const float**)arguments[0], *x = *(const float**)arguments[1];
  float* y = *(float**)arguments[2];
  const size_t rows = *(int*)arguments[3], cols = *(int*)arguments[4];
#pragma omp parallel for
  for (size_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (size_t j = 0; j < cols; ++j) sum += (double)a[row * cols + j] * x[j];
    y[row] = (float)sum;
  }
}
