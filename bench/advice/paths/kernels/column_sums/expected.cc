#include <cstddef>
#include <vector>

extern "C" void expected(void** arguments) {
  const float* matrix = *(const float**)arguments[0];
  float* sums = *(float**)arguments[1];
  const size_t rows = *(int*)arguments[2], cols = *(int*)arguments[3];
  std::vector<double> total(cols, 0.0);
#pragma omp parallel
  {
    std::vector<double> mine(cols, 0.0);
#pragma omp for
    for (size_t row = 0; row < rows; ++row)
      for (size_t col = 0; col < cols; ++col) mine[col] += matrix[row * cols + col];
#pragma omp critical
    for (size_t col = 0; col < cols; ++col) total[col] += mine[col];
  }
  for (size_t col = 0; col < cols; ++col) sums[col] = (float)total[col];
}
