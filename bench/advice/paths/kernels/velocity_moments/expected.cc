#include <cstddef>

extern "C" void expected(void** arguments) {
  const float* f = *(const float**)arguments[0];
  float* moments = *(float**)arguments[1];
  const int cells = *(int*)arguments[2], nv = *(int*)arguments[3];
  const double vmin = *(float*)arguments[4], dv = *(float*)arguments[5];
#pragma omp parallel for
  for (int cell = 0; cell < cells; ++cell) {
    const float* mine = f + (size_t)cell * nv * nv;
    double density = 0, momentum_x = 0, momentum_y = 0, energy = 0;
    for (int iy = 0; iy < nv; ++iy)
      for (int ix = 0; ix < nv; ++ix) {
        const double vx = vmin + ix * dv, vy = vmin + iy * dv, value = mine[iy * nv + ix];
        density += value;
        momentum_x += value * vx;
        momentum_y += value * vy;
        energy += 0.5 * value * (vx * vx + vy * vy);
      }
    moments[(size_t)cell * 4] = (float)(density * dv * dv);
    moments[(size_t)cell * 4 + 1] = (float)(momentum_x * dv * dv);
    moments[(size_t)cell * 4 + 2] = (float)(momentum_y * dv * dv);
    moments[(size_t)cell * 4 + 3] = (float)(energy * dv * dv);
  }
}
