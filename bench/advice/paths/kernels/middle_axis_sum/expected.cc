#include <cstddef>
#include <vector>

extern "C" void expected(void** arguments) {
  const float* in = *(const float**)arguments[0];
  float* out = *(float**)arguments[1];
  const size_t outer = *(int*)arguments[2], middle = *(int*)arguments[3],
               inner = *(int*)arguments[4];
#pragma omp parallel for
  for (size_t o = 0; o < outer; ++o) {
    std::vector<double> sum(inner);
    for (size_t m = 0; m < middle; ++m)
      for (size_t i = 0; i < inner; ++i) sum[i] += in[(o * middle + m) * inner + i];
    for (size_t i = 0; i < inner; ++i) out[o * inner + i] = (float)sum[i];
  }
}
