#include <algorithm>

extern "C" void expected(void** arguments) {
  const int* cell_start = *(const int**)arguments[0];
  const float *x = *(const float**)arguments[1], *y = *(const float**)arguments[2],
              *z = *(const float**)arguments[3];
  float* density = *(float**)arguments[4];
  const int cells_x = *(int*)arguments[5], cells_y = *(int*)arguments[6],
            cells_z = *(int*)arguments[7];
  const double h = *(float*)arguments[8];
#pragma omp parallel for
  for (int cz = 0; cz < cells_z; ++cz)
    for (int cy = 0; cy < cells_y; ++cy)
      for (int cx = 0; cx < cells_x; ++cx) {
        const int cell = (cz * cells_y + cy) * cells_x + cx;
        for (int i = cell_start[cell]; i < cell_start[cell + 1]; ++i) {
          double sum = 0;
          for (int nz = std::max(cz - 1, 0); nz <= std::min(cz + 1, cells_z - 1); ++nz)
            for (int ny = std::max(cy - 1, 0); ny <= std::min(cy + 1, cells_y - 1); ++ny)
              for (int nx = std::max(cx - 1, 0); nx <= std::min(cx + 1, cells_x - 1); ++nx) {
                const int other = (nz * cells_y + ny) * cells_x + nx;
                const double px = (double)x[i] + cx - nx, py = (double)y[i] + cy - ny,
                             pz = (double)z[i] + cz - nz;
                for (int j = cell_start[other]; j < cell_start[other + 1]; ++j) {
                  const double dx = x[j] - px, dy = y[j] - py, dz = z[j] - pz;
                  const double d = std::max(h * h - dx * dx - dy * dy - dz * dz, 0.0);
                  sum += d * d * d;
                }
              }
          density[i] = (float)sum;
        }
      }
}
