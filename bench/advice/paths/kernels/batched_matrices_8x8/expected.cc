#include <cstddef>

extern "C" void expected(void** arguments) {
  const float *a = *(const float**)arguments[0], *b = *(const float**)arguments[1];
  float* c = *(float**)arguments[2];
  const size_t count = *(int*)arguments[3];
#pragma omp parallel for
  for (size_t m = 0; m < count; ++m) {
    for (int i = 0; i < 8; ++i) {
      for (int j = 0; j < 8; ++j) {
        double sum = 0;
        for (int k = 0; k < 8; ++k) sum += (double)a[m * 64 + i * 8 + k] * b[m * 64 + k * 8 + j];
        c[m * 64 + i * 8 + j] = (float)sum;
      }
    }
  }
}
