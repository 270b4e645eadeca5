#include <cstddef>
#include <vector>

extern "C" void expected(void** arguments) {
  const float *lower = *(const float**)arguments[0], *upper = *(const float**)arguments[1];
  const float* rhs = *(const float**)arguments[2];
  float* x = *(float**)arguments[4];
  const size_t systems = *(int*)arguments[5], n = *(int*)arguments[6];
#pragma omp parallel for
  for (size_t s = 0; s < systems; ++s) {
    const float *a = lower + s * n, *c = upper + s * n, *d = rhs + s * n;
    std::vector<double> w(n), y(n);
    for (size_t i = 0; i < n; ++i) {
      double diagonal = 1.0 + a[i] + c[i], right = d[i];
      if (i > 0) diagonal += a[i] * w[i - 1], right += a[i] * y[i - 1];
      w[i] = -c[i] / diagonal;
      y[i] = right / diagonal;
    }
    for (size_t i = n - 1; i-- > 0;) y[i] -= w[i] * y[i + 1];
    for (size_t i = 0; i < n; ++i) x[s * n + i] = (float)y[i];
  }
}
