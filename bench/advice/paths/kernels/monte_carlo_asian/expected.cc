#include <cmath>
#include <cstdint>

extern "C" void expected(void** arguments) {
  float* sum = *(float**)arguments[0];
  const int paths = *(int*)arguments[1], steps = *(int*)arguments[2];
  const float price = *(float*)arguments[3], strike = *(float*)arguments[4],
              rate = *(float*)arguments[5];
  const float volatility = *(float*)arguments[6], years = *(float*)arguments[7];
  const uint32_t seed = *(uint32_t*)arguments[8];
  double all = 0;
#pragma omp parallel for reduction(+ : all)
  for (int path = 0; path < paths; ++path) {
    uint32_t state = seed + path;
    state = (state ^ 61) ^ (state >> 16);
    state *= 9;
    state = state ^ (state >> 4);
    state *= 0x27d4eb2d;
    state = state ^ (state >> 15);
    if (state == 0) state = 1;
    const auto next = [&] {
      state ^= state << 13;
      state ^= state >> 17;
      state ^= state << 5;
      return state;
    };
    const double dt = (double)years / steps;
    const float drift = (float)((rate - 0.5 * volatility * volatility) * dt);
    const float scale = (float)(volatility * std::sqrt(dt));
    double exponent = 0, total = 0;
    for (int i = 0; i < steps; ++i) {
      const float u1 = ((next() >> 8) + 1) / 16777216.0f;
      const float u2 = (next() >> 8) / 16777216.0f;
      // Single precision functions are enough for each step, double sums keep the errors from
      // piling up.
      exponent += drift + scale * (std::sqrt(-2.0f * logf(u1)) * cosf(6.283185307f * u2));
      total += price * expf((float)exponent);
    }
    const double payoff = total / steps - strike;
    if (payoff > 0) all += payoff * std::exp(-(double)rate * years);
  }
  *sum += (float)all;
}
