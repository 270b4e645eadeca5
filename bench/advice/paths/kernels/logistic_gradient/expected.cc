#include <cmath>
#include <cstddef>
#include <vector>

extern "C" void expected(void** arguments) {
  const float *x = *(const float**)arguments[0], *weights = *(const float**)arguments[2];
  const int* labels = *(const int**)arguments[1];
  const double bias = *(float*)arguments[3];
  float* gradient = *(float**)arguments[4];
  const size_t samples = *(int*)arguments[5], features = *(int*)arguments[6];
  std::vector<double> sums(features, 0.0);
  for (size_t i = 0; i < samples; ++i) {
    const float* row = x + i * features;
    double z = bias;
    for (size_t j = 0; j < features; ++j) z += (double)row[j] * weights[j];
    const double error = 1 / (1 + std::exp(-z)) - labels[i];
    for (size_t j = 0; j < features; ++j) sums[j] += error * row[j];
  }
  for (size_t j = 0; j < features; ++j) gradient[j] += (float)(sums[j] / samples);
}
