#include <algorithm>
#include <cmath>
#include <cstddef>

extern "C" void expected(void** arguments) {
  const float* positions = *(const float**)arguments[0];
  const int *neighbours = *(const int**)arguments[1], *counts = *(const int**)arguments[2];
  float* forces = *(float**)arguments[3];
  const size_t atoms = *(int*)arguments[4], max_neighbours = *(int*)arguments[5];
  const double box = *(float*)arguments[6], cutoff = *(float*)arguments[7];
  const double sigma = *(float*)arguments[8], epsilon = *(float*)arguments[9];
#pragma omp parallel for
  for (size_t i = 0; i < atoms; ++i) {
    double force[3] = {};
    for (int k = 0; k < counts[i]; ++k) {
      const size_t j = neighbours[i * max_neighbours + k];
      double d[3], r2 = 0;
      for (int axis = 0; axis < 3; ++axis) {
        d[axis] = (double)positions[3 * i + axis] - positions[3 * j + axis];
        d[axis] -= box * std::rint(d[axis] / box);
        r2 += d[axis] * d[axis];
      }
      if (r2 >= cutoff * cutoff) continue;
      r2 = std::max(r2, 0.64 * sigma * sigma);
      const double s2 = sigma * sigma / r2, s6 = s2 * s2 * s2;
      const double f = 24 * epsilon * (2 * s6 * s6 - s6) / r2;
      for (int axis = 0; axis < 3; ++axis) force[axis] += f * d[axis];
    }
    for (int axis = 0; axis < 3; ++axis) forces[3 * i + axis] = (float)force[axis];
  }
}
