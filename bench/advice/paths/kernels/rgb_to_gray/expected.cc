#include <cstddef>

extern "C" void expected(void** arguments) {
  const unsigned char* rgb = *(const unsigned char**)arguments[0];
  unsigned char* gray = *(unsigned char**)arguments[1];
  const size_t pixels = (size_t)*(int*)arguments[2] * *(int*)arguments[3];
#pragma omp parallel for
  for (size_t i = 0; i < pixels; ++i) {
    gray[i] =
        (unsigned char)(0.299f * rgb[3 * i] + 0.587f * rgb[3 * i + 1] + 0.114f * rgb[3 * i + 2]);
  }
}
