#include <cmath>
#include <cstddef>

extern "C" void expected(void** arguments) {
  float* params = *(float**)arguments[0];
  const float* grads = *(const float**)arguments[1];
  float *m = *(float**)arguments[2], *v = *(float**)arguments[3];
  const size_t n = *(int*)arguments[4];
  const double lr = *(float*)arguments[5], beta1 = *(float*)arguments[6],
               beta2 = *(float*)arguments[7], eps = *(float*)arguments[8];
  const int step = *(int*)arguments[9];
  const double c1 = 1 - std::pow(beta1, step), c2 = 1 - std::pow(beta2, step);
#pragma omp parallel for
  for (size_t i = 0; i < n; ++i) {
    const double g = grads[i];
    const double a = beta1 * m[i] + (1 - beta1) * g, b = beta2 * v[i] + (1 - beta2) * g * g;
    m[i] = (float)a;
    v[i] = (float)b;
    params[i] = (float)(params[i] - lr * (a / c1) / (std::sqrt(b / c2) + eps));
  }
}
