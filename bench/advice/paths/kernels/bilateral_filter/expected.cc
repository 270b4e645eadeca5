#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

extern "C" void expected(void** arguments) {
  const float* in = *(const float**)arguments[0];
  float* out = *(float**)arguments[1];
  const int width = *(int*)arguments[2], height = *(int*)arguments[3], radius = *(int*)arguments[4];
  const double sigma_space = *(float*)arguments[5], sigma_value = *(float*)arguments[6];
  const int side = 2 * radius + 1;
  std::vector<double> space(side * side);
  for (int i = 0; i < side * side; ++i) {
    const int dx = i % side - radius, dy = i / side - radius;
    space[i] = -(dx * dx + dy * dy) / (2 * sigma_space * sigma_space);
  }
  const double value_scale = -1 / (2 * sigma_value * sigma_value);
#pragma omp parallel for
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      const double center = in[(size_t)y * width + x];
      double sum = 0, total = 0;
      for (int i = 0; i < side * side; ++i) {
        const int xx = std::clamp(x + i % side - radius, 0, width - 1);
        const int yy = std::clamp(y + i / side - radius, 0, height - 1);
        const double value = in[(size_t)yy * width + xx], difference = value - center;
        const double weight = std::exp(space[i] + difference * difference * value_scale);
        sum += weight * value;
        total += weight;
      }
      out[(size_t)y * width + x] = (float)(sum / total);
    }
  }
}
