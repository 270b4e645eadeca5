extern "C" void expected(void** arguments) {
  const float *px = *(const float**)arguments[0], *py = *(const float**)arguments[1];
  const float *vx = *(const float**)arguments[2], *vy = *(const float**)arguments[3];
  unsigned char* inside = *(unsigned char**)arguments[4];
  const int points = *(int*)arguments[5], vertices = *(int*)arguments[6];
#pragma omp parallel for
  for (int p = 0; p < points; ++p) {
    const double x = px[p], y = py[p];
    bool in = false;
    for (int i = 0, j = vertices - 1; i < vertices; j = i++) {
      const double xi = vx[i], yi = vy[i], xj = vx[j], yj = vy[j];
      // x < crossing, without a division: multiplied by yj - yi, which may be negative.
      const double side = (xj - xi) * (y - yi) - (x - xi) * (yj - yi);
      in ^= ((yi > y) != (yj > y)) & ((side > 0) == (yj > yi)) & (side != 0);
    }
    inside[p] = in;
  }
}
