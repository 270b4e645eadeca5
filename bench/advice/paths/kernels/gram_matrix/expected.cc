#include <cstddef>
#include <vector>

extern "C" void expected(void** arguments) {
  const float* x = *(const float**)arguments[0];
  float* gram = *(float**)arguments[1];
  const size_t rows = *(int*)arguments[2], cols = *(int*)arguments[3];
#pragma omp parallel for schedule(dynamic)
  for (size_t first = 0; first < cols; first += 8) {
    const size_t count = cols - first < 8 ? cols - first : 8;
    std::vector<double> sums(count * cols, 0.0);
    for (size_t r = 0; r < rows; ++r) {
      const float* row = x + r * cols;
      for (size_t i = 0; i < count; ++i) {
        const double a = row[first + i];
        double* to = sums.data() + i * cols;
        for (size_t j = 0; j < first + count; ++j) to[j] += a * row[j];
      }
    }
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j <= first + i; ++j)
        gram[(first + i) * cols + j] = gram[j * cols + first + i] =
            (float)(sums[i * cols + j] / rows);
  }
}
