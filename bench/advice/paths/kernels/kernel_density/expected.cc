#include <cmath>
#include <cstddef>

extern "C" void expected(void** arguments) {
  const float *sample_x = *(const float**)arguments[0], *sample_y = *(const float**)arguments[1];
  const float *query_x = *(const float**)arguments[2], *query_y = *(const float**)arguments[3];
  float* density = *(float**)arguments[4];
  const int samples = *(int*)arguments[5], queries = *(int*)arguments[6];
  const double bandwidth = *(float*)arguments[7];
  const double scale = -0.5 / (bandwidth * bandwidth);
#pragma omp parallel for
  for (int q = 0; q < queries; ++q) {
    double sum = 0;
    for (int s = 0; s < samples; ++s) {
      const double dx = (double)query_x[q] - sample_x[s], dy = (double)query_y[q] - sample_y[s];
      const double exponent = scale * (dx * dx + dy * dy);
      if (exponent > -50) sum += std::exp(exponent);  // the rest is below 1e-21
    }
    density[q] = (float)(sum / (samples * 2 * 3.14159265358979323846 * bandwidth * bandwidth));
  }
}
