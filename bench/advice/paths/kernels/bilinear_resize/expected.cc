#include <algorithm>

extern "C" void expected(void** arguments) {
  const unsigned char* in = *(const unsigned char**)arguments[0];
  unsigned char* out = *(unsigned char**)arguments[1];
  const long in_width = *(int*)arguments[2], in_height = *(int*)arguments[3];
  const long out_width = *(int*)arguments[4], out_height = *(int*)arguments[5];
#pragma omp parallel for
  for (long y = 0; y < out_height; ++y) {
    const double fy = (double)y * (in_height - 1) / (out_height - 1);
    const long y0 = (long)fy, y1 = std::min(y0 + 1, in_height - 1);
    for (long x = 0; x < out_width; ++x) {
      const double fx = (double)x * (in_width - 1) / (out_width - 1);
      const long x0 = (long)fx, x1 = std::min(x0 + 1, in_width - 1);
      const double wx = fx - x0, wy = fy - y0;
      for (int c = 0; c < 3; ++c) {
        const auto at = [&](long row, long column) {
          return in[(row * in_width + column) * 3 + c];
        };
        const double top = at(y0, x0) * (1 - wx) + at(y0, x1) * wx;
        const double bottom = at(y1, x0) * (1 - wx) + at(y1, x1) * wx;
        out[(y * out_width + x) * 3 + c] = (unsigned char)(top * (1 - wy) + bottom * wy + 0.5);
      }
    }
  }
}
