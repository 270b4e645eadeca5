// The Mandelbrot set: after how many steps a point has escaped, and how smoothly. Each block draws
// `each` rows of the picture.

__global__ void escape_times(float* __restrict__ picture, int* __restrict__ inside, int width,
                             int each, int limit, float left, float top, float scale) {
  for (int k = 0; k < each; ++k) {
    int row = blockIdx.x * each + k;
    float cy = top + scale * static_cast<float>(row);
    int held = 0;

    for (int column = threadIdx.x; column < width; column += blockDim.x) {
      float cx = left + scale * static_cast<float>(column);
      float x = 0, y = 0;
      float xx = 0, yy = 0;
      int step = 0;
      while (step < limit && xx + yy < 64.0f) {
        y = 2.0f * x * y + cy;
        x = xx - yy + cx;
        xx = x * x;
        yy = y * y;
        ++step;
      }

      float shade = static_cast<float>(limit);
      if (step < limit) {
        float size = __log2f(xx + yy);
        shade = static_cast<float>(step) + 1.0f - __log2f(0.5f * size);
      } else {
        ++held;
      }
      picture[static_cast<size_t>(row) * width + column] = shade;
    }
    inside[row * blockDim.x + threadIdx.x] = held;
  }
}
