#include <cmath>
#include <cstddef>

extern "C" void expected(void** arguments) {
  const float* body = *(const float**)arguments[0];
  float *ax = *(float**)arguments[1], *ay = *(float**)arguments[2], *az = *(float**)arguments[3];
  const size_t n = *(int*)arguments[4];
  const double softening = *(float*)arguments[5];
#pragma omp parallel for
  for (size_t i = 0; i < n; ++i) {
    double x = 0, y = 0, z = 0;
    for (size_t j = 0; j < n; ++j) {
      const double dx = body[4 * j] - body[4 * i], dy = body[4 * j + 1] - body[4 * i + 1],
                   dz = body[4 * j + 2] - body[4 * i + 2];
      const double squared = dx * dx + dy * dy + dz * dz + softening;
      const double f = body[4 * j + 3] / (squared * std::sqrt(squared));
      x += f * dx, y += f * dy, z += f * dz;
    }
    ax[i] = (float)x, ay[i] = (float)y, az[i] = (float)z;
  }
}
