#include <cstddef>

extern "C" void expected(void** arguments) {
  const float* x = *(const float**)arguments[0];
  float *mean = *(float**)arguments[1], *variance = *(float**)arguments[2];
  const size_t images = *(int*)arguments[3], channels = *(int*)arguments[4],
               pixels = *(int*)arguments[5];
#pragma omp parallel for
  for (size_t c = 0; c < channels; ++c) {
    double sum = 0, square = 0;
    for (size_t image = 0; image < images; ++image) {
      const float* plane = x + (image * channels + c) * pixels;
      for (size_t i = 0; i < pixels; ++i) {
        sum += plane[i];
        square += (double)plane[i] * plane[i];
      }
    }
    const double m = sum / (images * pixels);
    mean[c] = (float)m;
    variance[c] = (float)(square / (images * pixels) - m * m);
  }
}
