#include <cstddef>
#include <vector>

extern "C" void expected(void** arguments) {
  const int *edge_start = *(const int**)arguments[0], *neighbours = *(const int**)arguments[1];
  const float* features = *(const float**)arguments[2];
  float* means = *(float**)arguments[3];
  const int nodes = *(int*)arguments[4];
  const size_t size = *(int*)arguments[5];
#pragma omp parallel for
  for (int node = 0; node < nodes; ++node) {
    std::vector<double> sum(size);
    const int start = edge_start[node], end = edge_start[node + 1];
    for (int e = start; e < end; ++e)
      for (size_t f = 0; f < size; ++f) sum[f] += features[neighbours[e] * size + f];
    for (size_t f = 0; f < size; ++f)
      means[node * size + f] = end > start ? (float)(sum[f] / (end - start)) : 0.f;
  }
}
