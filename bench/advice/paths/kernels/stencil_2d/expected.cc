#include <cstddef>

extern "C" void expected(void** arguments) {
  const float* in = *(const float**)arguments[0];
  float* out = *(float**)arguments[1];
  const size_t width = *(int*)arguments[2], height = *(int*)arguments[3];
#pragma omp parallel for
  for (size_t y = 0; y < height; ++y) {
    for (size_t x = 0; x < width; ++x) {
      const size_t i = y * width + x;
      const bool border = x == 0 || y == 0 || x == width - 1 || y == height - 1;
      out[i] =
          border ? in[i] : 0.2f * (in[i] + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
    }
  }
}
