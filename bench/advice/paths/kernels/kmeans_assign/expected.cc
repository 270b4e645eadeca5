#include <cstddef>

extern "C" void expected(void** arguments) {
  const float *points = *(const float**)arguments[0], *centroids = *(const float**)arguments[1];
  int* assignment = *(int**)arguments[2];
  const size_t n = *(int*)arguments[3], k = *(int*)arguments[4], dims = *(int*)arguments[5];
#pragma omp parallel for
  for (size_t i = 0; i < n; ++i) {
    double best = 1e300;
    for (size_t c = 0; c < k; ++c) {
      double distance = 0;
      for (size_t d = 0; d < dims; ++d) {
        const double difference = (double)points[i * dims + d] - centroids[c * dims + d];
        distance += difference * difference;
      }
      if (distance < best) best = distance, assignment[i] = (int)c;
    }
  }
}
