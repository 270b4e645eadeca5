#include <cmath>
#include <cstddef>

static double normal_cdf(double d) {
  return 0.5 * std::erfc(-d / std::sqrt(2.0));
}

extern "C" void expected(void** arguments) {
  const float *price = *(const float**)arguments[0], *strike = *(const float**)arguments[1],
              *years = *(const float**)arguments[2];
  float *call = *(float**)arguments[3], *put = *(float**)arguments[4];
  const size_t n = *(int*)arguments[5];
  const double rate = *(float*)arguments[6], volatility = *(float*)arguments[7];
#pragma omp parallel for
  for (size_t i = 0; i < n; ++i) {
    const double s = 10 + 90.0 * price[i], k = 10 + 90.0 * strike[i], t = 0.25 + 9.75 * years[i];
    const double spread = volatility * std::sqrt(t);
    const double d1 = (std::log(s / k) + (rate + 0.5 * volatility * volatility) * t) / spread,
                 d2 = d1 - spread;
    const double discounted = k * std::exp(-rate * t);
    call[i] = (float)(s * normal_cdf(d1) - discounted * normal_cdf(d2));
    put[i] = (float)(discounted * normal_cdf(-d2) - s * normal_cdf(-d1));
  }
}
