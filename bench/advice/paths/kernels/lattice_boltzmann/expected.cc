#include <cstddef>

extern "C" void expected(void** arguments) {
  const float* in = *(const float**)arguments[0];
  float* out = *(float**)arguments[1];
  const int width = *(int*)arguments[2], height = *(int*)arguments[3];
  const double omega = *(float*)arguments[4];
  constexpr int ex[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, ey[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
#pragma omp parallel for
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      double f[9], density = 0, ux = 0, uy = 0;
      for (int k = 0; k < 9; ++k) {
        const size_t from_x = (x - ex[k] + width) % width, from_y = (y - ey[k] + height) % height;
        f[k] = in[(from_y * width + from_x) * 9 + k];
        density += f[k];
        ux += f[k] * ex[k];
        uy += f[k] * ey[k];
      }
      ux /= density;
      uy /= density;
      for (int k = 0; k < 9; ++k) {
        const double weight = k == 0  ? 4. / 9
                              : k < 5 ? 1. / 9
                                      : 1. / 36,
                     along = ex[k] * ux + ey[k] * uy;
        const double equilibrium =
            weight * density * (1 + 3 * along + 4.5 * along * along - 1.5 * (ux * ux + uy * uy));
        out[((size_t)y * width + x) * 9 + k] = (float)(f[k] + omega * (equilibrium - f[k]));
      }
    }
  }
}
