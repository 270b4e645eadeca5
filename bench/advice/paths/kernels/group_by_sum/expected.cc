#include <algorithm>
#include <cstddef>
#include <vector>

extern "C" void expected(void** arguments) {
  const int* keys = *(const int**)arguments[0];
  const float* values = *(const float**)arguments[1];
  float* sums = *(float**)arguments[2];
  int* counts = *(int**)arguments[3];
  const size_t n = *(int*)arguments[4];
  std::vector<double> totals(n == 0 ? 0 : *std::max_element(keys, keys + n) + 1);
  for (size_t i = 0; i < n; ++i) {
    totals[keys[i]] += values[i];
    ++counts[keys[i]];
  }
  for (size_t key = 0; key < totals.size(); ++key) sums[key] += (float)totals[key];
}
