#include <algorithm>
#include <cmath>
#include <cstddef>

extern "C" void expected(void** arguments) {
  const float* in = *(const float**)arguments[0];
  float* out = *(float**)arguments[1];
  const size_t rows = *(int*)arguments[2], cols = *(int*)arguments[3];
#pragma omp parallel for
  for (size_t row = 0; row < rows; ++row) {
    const float* x = in + row * cols;
    const double largest = *std::max_element(x, x + cols);
    double sum = 0;
    for (size_t i = 0; i < cols; ++i) sum += std::exp(x[i] - largest);
    for (size_t i = 0; i < cols; ++i) out[row * cols + i] = (float)(std::exp(x[i] - largest) / sum);
  }
}
