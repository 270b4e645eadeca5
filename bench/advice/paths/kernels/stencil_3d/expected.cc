#include <cstddef>

extern "C" void expected(void** arguments) {
  const float* in = *(const float**)arguments[0];
  float* out = *(float**)arguments[1];
  const size_t nx = *(int*)arguments[2], ny = *(int*)arguments[3], nz = *(int*)arguments[4];
  const float alpha = *(float*)arguments[5];
#pragma omp parallel for
  for (size_t i = 0; i < nx; ++i) {
    for (size_t j = 0; j < ny; ++j) {
      for (size_t k = 0; k < nz; ++k) {
        const size_t at = (i * ny + j) * nz + k;
        if (i == 0 || j == 0 || k == 0 || i == nx - 1 || j == ny - 1 || k == nz - 1) {
          out[at] = in[at];
        } else {
          const double sum = (double)in[at - 1] + in[at + 1] + in[at - nz] + in[at + nz] +
                             in[at - ny * nz] + in[at + ny * nz];
          out[at] = (float)(in[at] + alpha * (sum - 6.0 * in[at]));
        }
      }
    }
  }
}
