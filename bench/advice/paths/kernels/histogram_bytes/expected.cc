#include <cstddef>

extern "C" void expected(void** arguments) {
  const unsigned char* data = *(const unsigned char**)arguments[0];
  unsigned* bins = *(unsigned**)arguments[1];
  const size_t n = *(int*)arguments[2];
  for (size_t i = 0; i < n; ++i) ++bins[data[i]];
}
