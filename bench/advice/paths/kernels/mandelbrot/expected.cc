extern "C" void expected(void** arguments) {
  int* out = *(int**)arguments[0];
  const int width = *(int*)arguments[1], height = *(int*)arguments[2];
  const float x_min = *(float*)arguments[3], y_min = *(float*)arguments[4];
  const float x_max = *(float*)arguments[5], y_max = *(float*)arguments[6];
  const int max_iterations = *(int*)arguments[7];
#pragma omp parallel for schedule(dynamic, 8)
  for (int py = 0; py < height; ++py) {
    for (int px = 0; px < width; ++px) {
      const float cx = x_min + (x_max - x_min) * px / width,
                  cy = y_min + (y_max - y_min) * py / height;
      float x = 0, y = 0;
      int n = 0;
      while (x * x + y * y <= 4 && n < max_iterations) {
        const float t = x * x - y * y + cx;
        y = 2 * x * y + cy;
        x = t;
        ++n;
      }
      out[py * width + px] = n;
    }
  }
}
