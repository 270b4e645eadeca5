extern "C" void expected(void** arguments) {
  const float *image = *(const float**)arguments[0], *filter = *(const float**)arguments[1];
  float* out = *(float**)arguments[2];
  const int width = *(int*)arguments[3], height = *(int*)arguments[4];
#pragma omp parallel for
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      double sum = 0;
      for (int v = 0; v < 7; ++v) {
        for (int u = 0; u < 7; ++u) {
          const int xx = x + u - 3, yy = y + v - 3;
          if (xx < 0 || xx >= width || yy < 0 || yy >= height) continue;
          sum += (double)image[(long)yy * width + xx] * filter[v * 7 + u];
        }
      }
      out[(long)y * width + x] = (float)sum;
    }
  }
}
