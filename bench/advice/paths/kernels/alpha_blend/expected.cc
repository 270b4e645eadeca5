#include <cstddef>

extern "C" void expected(void** arguments) {
  const unsigned char *front = *(const unsigned char**)arguments[0],
                      *back = *(const unsigned char**)arguments[1];
  unsigned char* out = *(unsigned char**)arguments[2];
  const size_t width = *(int*)arguments[3], height = *(int*)arguments[4];
#pragma omp parallel for
  for (size_t i = 0; i < width * height; ++i) {
    const unsigned alpha = front[4 * i + 3];
    for (int c = 0; c < 3; ++c)
      out[4 * i + c] =
          (unsigned char)((front[4 * i + c] * alpha + back[4 * i + c] * (255 - alpha) + 127) / 255);
    out[4 * i + 3] = (unsigned char)(alpha + (back[4 * i + 3] * (255 - alpha) + 127) / 255);
  }
}
