#include <cstddef>

extern "C" void expected(void** arguments) {
  const float *u = *(const float**)arguments[0], *f = *(const float**)arguments[1];
  float* u_new = *(float**)arguments[2];
  const size_t width = *(int*)arguments[4], height = *(int*)arguments[5];
  const double h2 = *(float*)arguments[6];
  double residual = 0;
#pragma omp parallel for reduction(+ : residual)
  for (size_t y = 1; y < height - 1; ++y) {
    for (size_t x = 1; x < width - 1; ++x) {
      const size_t i = y * width + x;
      const double value =
          0.25 * ((double)u[i - 1] + u[i + 1] + u[i - width] + u[i + width] - h2 * f[i]);
      u_new[i] = (float)value;
      residual += (value - u[i]) * (value - u[i]);
    }
  }
  **(double**)arguments[3] += residual;
}
