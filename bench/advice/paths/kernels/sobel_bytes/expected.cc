#include <algorithm>
#include <cmath>
#include <cstddef>

extern "C" void expected(void** arguments) {
  const unsigned char* in = *(const unsigned char**)arguments[0];
  unsigned char* out = *(unsigned char**)arguments[1];
  const ptrdiff_t width = *(int*)arguments[2], height = *(int*)arguments[3];
#pragma omp parallel for
  for (ptrdiff_t y = 0; y < height; ++y)
    for (ptrdiff_t x = 0; x < width; ++x) {
      unsigned char& result = out[y * width + x];
      if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
        result = 0;
        continue;
      }
      const unsigned char *a = in + (y - 1) * width + x, *b = a + width, *c = b + width;
      const int gx = a[1] - a[-1] + 2 * (b[1] - b[-1]) + c[1] - c[-1];
      const int gy = c[-1] + 2 * c[0] + c[1] - (a[-1] + 2 * a[0] + a[1]);
      result = (unsigned char)std::min(255.0f, std::sqrt((float)(gx * gx + gy * gy)));
    }
}
