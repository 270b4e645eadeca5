#include <cstddef>

extern "C" void expected(void** arguments) {
  const signed char *w = *(const signed char**)arguments[0],
                    *x = *(const signed char**)arguments[1];
  int* y = *(int**)arguments[2];
  const size_t rows = *(int*)arguments[3], cols = *(int*)arguments[4];
#pragma omp parallel for
  for (size_t row = 0; row < rows; ++row) {
    int sum = 0;
    for (size_t j = 0; j < cols; ++j) sum += w[row * cols + j] * x[j];
    y[row] = sum;
  }
}
