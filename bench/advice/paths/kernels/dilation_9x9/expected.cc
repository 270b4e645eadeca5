#include <algorithm>
#include <cstddef>
#include <vector>

// Separable: along the rows, then along the columns.
extern "C" void expected(void** arguments) {
  const unsigned char* in = *(const unsigned char**)arguments[0];
  unsigned char* out = *(unsigned char**)arguments[1];
  const int width = *(int*)arguments[2], height = *(int*)arguments[3], radius = *(int*)arguments[4];
  std::vector<unsigned char> rows((size_t)width * height);
#pragma omp parallel for
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      unsigned char largest = 0;
      for (int xx = std::max(x - radius, 0); xx <= std::min(x + radius, width - 1); ++xx)
        largest = std::max(largest, in[(size_t)y * width + xx]);
      rows[(size_t)y * width + x] = largest;
    }
#pragma omp parallel for
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      unsigned char largest = 0;
      for (int yy = std::max(y - radius, 0); yy <= std::min(y + radius, height - 1); ++yy)
        largest = std::max(largest, rows[(size_t)yy * width + x]);
      out[(size_t)y * width + x] = largest;
    }
}
