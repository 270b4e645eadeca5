#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

extern "C" void expected(void** arguments) {
  const float *q = *(const float**)arguments[0], *k = *(const float**)arguments[1];
  const float* v = *(const float**)arguments[2];
  float* out = *(float**)arguments[3];
  const size_t length = *(int*)arguments[4], dim = *(int*)arguments[5];
  const size_t heads = 128;  // the grid
#pragma omp parallel for
  for (size_t head = 0; head < heads; ++head) {
    const float *query = q + head * dim, *keys = k + head * length * dim,
                *values = v + head * length * dim;
    std::vector<double> weights(length), sums(dim, 0.0);
    for (size_t t = 0; t < length; ++t) {
      double dot = 0;
      for (size_t d = 0; d < dim; ++d) dot += (double)query[d] * keys[t * dim + d];
      weights[t] = dot / std::sqrt((double)dim);
    }
    const double largest = *std::max_element(weights.begin(), weights.end());
    double total = 0;
    for (double& weight : weights) total += weight = std::exp(weight - largest);
    for (size_t t = 0; t < length; ++t)
      for (size_t d = 0; d < dim; ++d) sums[d] += weights[t] * values[t * dim + d];
    for (size_t d = 0; d < dim; ++d) out[head * dim + d] = (float)(sums[d] / total);
  }
}
