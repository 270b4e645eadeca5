#include <vector>

extern "C" void expected(void** arguments) {
  const int* neighbours = *(const int**)arguments[0];
  const int *first = *(const int**)arguments[1], *second = *(const int**)arguments[2];
  int* counts = *(int**)arguments[3];
  const int pairs = *(int*)arguments[4], degree = *(int*)arguments[5];
  const int nodes = 4096;
#pragma omp parallel
  {
    std::vector<int> seen(nodes, -1);
#pragma omp for
    for (int p = 0; p < pairs; ++p) {
      for (int j = 0; j < degree; ++j) seen[neighbours[second[p] * degree + j]] = p;
      int count = 0;
      for (int i = 0; i < degree; ++i) count += seen[neighbours[first[p] * degree + i]] == p;
      counts[p] = count;
    }
  }
}
