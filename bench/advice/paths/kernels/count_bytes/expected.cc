#include <cstddef>

extern "C" void expected(void** arguments) {
  const unsigned char* text = *(const unsigned char**)arguments[0];
  const size_t n = *(int*)arguments[1];
  const int value = *(int*)arguments[2];
  unsigned count = 0;
#pragma omp parallel for reduction(+ : count)
  for (size_t i = 0; i < n; ++i) count += text[i] == value;
  **(unsigned**)arguments[3] += count;
}
