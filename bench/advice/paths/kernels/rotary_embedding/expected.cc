#include <cmath>
#include <cstddef>
#include <vector>

extern "C" void expected(void** arguments) {
  const float* x = *(const float**)arguments[0];
  const int* positions = *(const int**)arguments[1];
  float* out = *(float**)arguments[2];
  const size_t tokens = *(int*)arguments[3], heads = *(int*)arguments[4], dim = *(int*)arguments[5];
#pragma omp parallel for
  for (size_t token = 0; token < tokens; ++token) {
    std::vector<double> c(dim / 2), s(dim / 2);
    for (size_t i = 0; i < dim / 2; ++i) {
      const double angle = positions[token] * std::pow(10000.0, -2.0 * i / dim);
      c[i] = std::cos(angle);
      s[i] = std::sin(angle);
    }
    for (size_t head = 0; head < heads; ++head) {
      const size_t at = (token * heads + head) * dim;
      for (size_t i = 0; i < dim / 2; ++i) {
        const double a = x[at + 2 * i], b = x[at + 2 * i + 1];
        out[at + 2 * i] = (float)(a * c[i] - b * s[i]);
        out[at + 2 * i + 1] = (float)(a * s[i] + b * c[i]);
      }
    }
  }
}
