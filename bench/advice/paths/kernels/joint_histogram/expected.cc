#include <cstddef>

extern "C" void expected(void** arguments) {
  const unsigned char *first = *(const unsigned char**)arguments[0],
                      *second = *(const unsigned char**)arguments[1];
  int* counts = *(int**)arguments[2];
  const size_t n = *(int*)arguments[3];
  for (size_t i = 0; i < n; ++i) ++counts[first[i] / 4 * 64 + second[i] / 4];
}
