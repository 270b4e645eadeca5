#include <cstddef>

extern "C" void expected(void** arguments) {
  const float *u = *(const float**)arguments[0], *previous = *(const float**)arguments[1];
  float* next = *(float**)arguments[2];
  const float* c = *(const float**)arguments[3];
  const ptrdiff_t nx = *(int*)arguments[4], ny = *(int*)arguments[5], nz = *(int*)arguments[6];
  const float factor = *(float*)arguments[7];
  const ptrdiff_t plane = nx * ny;
#pragma omp parallel for
  for (ptrdiff_t z = 4; z < nz - 4; ++z)
    for (ptrdiff_t y = 4; y < ny - 4; ++y)
      for (ptrdiff_t x = 4; x < nx - 4; ++x) {
        const float* at = u + z * plane + y * nx + x;
        double laplacian = 3.0 * c[0] * at[0];
        for (ptrdiff_t r = 1; r <= 4; ++r)
          laplacian += (double)c[r] * ((double)at[-r] + at[r] + at[-r * nx] + at[r * nx] +
                                       at[-r * plane] + at[r * plane]);
        next[at - u] = (float)(2.0 * at[0] - previous[at - u] + factor * laplacian);
      }
}
