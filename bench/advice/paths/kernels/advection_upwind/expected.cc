#include <cstddef>

extern "C" void expected(void** arguments) {
  const float *q = *(const float**)arguments[0], *u = *(const float**)arguments[1],
              *v = *(const float**)arguments[2];
  float* out = *(float**)arguments[3];
  const size_t width = *(int*)arguments[4], height = *(int*)arguments[5];
  const float frame = *(float*)arguments[6], ratio = *(float*)arguments[7];
#pragma omp parallel for
  for (size_t y = 0; y < height; ++y) {
    const float* row = q + y * width;
    const float* north = q + (y + height - 1) % height * width;
    const float* south = q + (y + 1) % height * width;
    for (size_t x = 0; x < width; ++x) {
      const double here = row[x];
      const double ux = u[y * width + x] - frame, vy = v[y * width + x] - frame;
      const double dx =
          ux > 0 ? here - row[x == 0 ? width - 1 : x - 1] : row[x + 1 == width ? 0 : x + 1] - here;
      const double dy = vy > 0 ? here - north[x] : south[x] - here;
      out[y * width + x] = (float)(here - ratio * (ux * dx + vy * dy));
    }
  }
}
