#include <cstddef>

extern "C" void expected(void** arguments) {
  const float* values = *(const float**)arguments[0];
  int* bins = *(int**)arguments[1];
  const size_t n = *(int*)arguments[2];
  const int num_bins = *(int*)arguments[3];
  const float lo = *(float*)arguments[4], hi = *(float*)arguments[5];
  for (size_t i = 0; i < n; ++i) {
    const int bin = (int)((values[i] - lo) / (hi - lo) * num_bins);
    if (bin >= 0 && bin < num_bins) ++bins[bin];
  }
}
