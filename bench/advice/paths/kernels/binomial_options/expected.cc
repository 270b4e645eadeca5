#include <algorithm>
#include <cmath>

extern "C" void expected(void** arguments) {
  constexpr int kSteps = 255;
  const float *spot = *(const float**)arguments[0], *strike = *(const float**)arguments[1];
  const float* volatility = *(const float**)arguments[2];
  float* price = *(float**)arguments[3];
  const int options = *(int*)arguments[4];
  const double rate = *(float*)arguments[5], years = *(float*)arguments[6];
#pragma omp parallel for
  for (int o = 0; o < options; ++o) {
    const double s = spot[o], k = strike[o], dt = years / kSteps;
    const double u = std::exp((0.1 + 0.4 * volatility[o]) * std::sqrt(dt));
    const double p = (std::exp(rate * dt) - 1 / u) / (u - 1 / u), discount = std::exp(-rate * dt);
    const double weight_up = discount * p, weight_down = discount * (1 - p);
    // exercise[e + kSteps]: value of exercising at a stock price of s · u^e
    double exercise[2 * kSteps + 1], value[kSteps + 1];
    for (int e = -kSteps; e <= kSteps; ++e) exercise[e + kSteps] = k - s * std::pow(u, e);
    for (int j = 0; j <= kSteps; ++j) value[j] = std::max(exercise[2 * j], 0.0);
    for (int i = kSteps - 1; i >= 0; --i) {
      for (int j = 0; j <= i; ++j) {
        const double hold = weight_up * value[j + 1] + weight_down * value[j];
        value[j] = std::max(hold, exercise[2 * j - i + kSteps]);
      }
    }
    price[o] = (float)value[0];
  }
}
