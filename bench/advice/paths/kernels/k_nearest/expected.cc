#include <cstddef>

extern "C" void expected(void** arguments) {
  const float *queries = *(const float**)arguments[0], *points = *(const float**)arguments[1];
  float* out = *(float**)arguments[2];
  const size_t num_queries = *(int*)arguments[3], num_points = *(int*)arguments[4];
  constexpr int k_count = 8;
#pragma omp parallel for
  for (size_t i = 0; i < num_queries; ++i) {
    double best[k_count];
    for (double& value : best) value = 1e30f;
    for (size_t j = 0; j < num_points; ++j) {
      const double dx = (double)points[3 * j] - queries[3 * i],
                   dy = (double)points[3 * j + 1] - queries[3 * i + 1],
                   dz = (double)points[3 * j + 2] - queries[3 * i + 2];
      const double d = dx * dx + dy * dy + dz * dz;
      if (d >= best[k_count - 1]) continue;
      int k = k_count - 1;
      for (; k > 0 && best[k - 1] > d; --k) best[k] = best[k - 1];
      best[k] = d;
    }
    for (int k = 0; k < k_count; ++k) out[i * k_count + k] = (float)best[k];
  }
}
