#include <algorithm>
#include <cstddef>
#include <vector>

extern "C" void expected(void** arguments) {
  const float* in = *(const float**)arguments[0];
  float* out = *(float**)arguments[1];
  const int width = *(int*)arguments[2], height = *(int*)arguments[3], radius = *(int*)arguments[4];
#pragma omp parallel for
  for (int y = 0; y < height; ++y) {
    const int top = std::max(0, y - radius), bottom = std::min(height - 1, y + radius);
    std::vector<double> columns(width);
    for (int row = top; row <= bottom; ++row)
      for (int x = 0; x < width; ++x) columns[x] += in[(size_t)row * width + x];
    for (int x = 0; x < width; ++x) {
      const int left = std::max(0, x - radius), right = std::min(width - 1, x + radius);
      double sum = 0;
      for (int column = left; column <= right; ++column) sum += columns[column];
      out[(size_t)y * width + x] = (float)(sum / ((bottom - top + 1) * (right - left + 1)));
    }
  }
}
