#include <algorithm>
#include <cstddef>
#include <vector>

extern "C" void expected(void** arguments) {
  const float *x = *(const float**)arguments[0], *weights = *(const float**)arguments[1];
  float* out = *(float**)arguments[2];
  const int images = *(int*)arguments[3], in_channels = *(int*)arguments[4],
            out_channels = *(int*)arguments[5];
  const int height = *(int*)arguments[6], width = *(int*)arguments[7];
  const size_t pixels = (size_t)height * width;
#pragma omp parallel for
  for (int job = 0; job < images * out_channels; ++job) {
    const int image = job / out_channels, out_channel = job % out_channels;
    std::vector<double> sums(pixels);
    for (int c = 0; c < in_channels; ++c) {
      const float* in = x + ((size_t)image * in_channels + c) * pixels;
      for (int k = 0; k < 9; ++k) {
        const int dy = k / 3 - 1, dx = k % 3 - 1;
        const double weight = weights[((size_t)out_channel * in_channels + c) * 9 + k];
        for (int y = std::max(0, -dy); y < std::min(height, height - dy); ++y) {
          double* to = &sums[(size_t)y * width];
          const float* from = in + (ptrdiff_t)(y + dy) * width + dx;
          const int end = std::min(width, width - dx);
          for (int column = std::max(0, -dx); column < end; ++column)
            to[column] += weight * from[column];
        }
      }
    }
    for (size_t i = 0; i < pixels; ++i) out[job * pixels + i] = (float)sums[i];
  }
}
