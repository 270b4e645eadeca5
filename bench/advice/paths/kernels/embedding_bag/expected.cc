#include <cstddef>
#include <vector>

extern "C" void expected(void** arguments) {
  const int *bag_start = *(const int**)arguments[0], *indices = *(const int**)arguments[1];
  const float* table = *(const float**)arguments[2];
  float* out = *(float**)arguments[3];
  const int bags = *(int*)arguments[4];
  const size_t dim = *(int*)arguments[5];
#pragma omp parallel for
  for (int bag = 0; bag < bags; ++bag) {
    std::vector<double> sums(dim, 0.0);
    for (int i = bag_start[bag]; i < bag_start[bag + 1]; ++i)
      for (size_t d = 0; d < dim; ++d) sums[d] += table[indices[i] * dim + d];
    const int count = bag_start[bag + 1] - bag_start[bag];
    for (size_t d = 0; d < dim; ++d)
      out[bag * dim + d] = count > 0 ? (float)(sums[d] / count) : 0.0f;
  }
}
