#include <algorithm>
#include <cstddef>

extern "C" void expected(void** arguments) {
  const unsigned char* in = *(const unsigned char**)arguments[0];
  unsigned char* out = *(unsigned char**)arguments[1];
  const int width = *(int*)arguments[2], height = *(int*)arguments[3];
#pragma omp parallel for
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      unsigned char window[9];
      int count = 0;
      for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx)
          window[count++] = in[(size_t)std::clamp(y + dy, 0, height - 1) * width +
                               std::clamp(x + dx, 0, width - 1)];
      std::nth_element(window, window + 4, window + 9);
      out[(size_t)y * width + x] = window[4];
    }
  }
}
