#include <algorithm>

extern "C" void expected(void** arguments) {
  const int *starts = *(const int**)arguments[0], *queries = *(const int**)arguments[1];
  int* found = *(int**)arguments[2];
  const int intervals = *(int*)arguments[3], count = *(int*)arguments[4];
#pragma omp parallel for
  for (int i = 0; i < count; ++i)
    found[i] = (int)(std::upper_bound(starts, starts + intervals, queries[i]) - starts) - 1;
}
