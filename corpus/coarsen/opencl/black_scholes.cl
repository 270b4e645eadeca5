// European options by Black and Scholes's formula, in a loop that covers any number of options with
// any number of work-items.

#define A1 0.31938153f
#define A2 -0.356563782f
#define A3 1.781477937f
#define A4 -1.821255978f
#define A5 1.330274429f
#define POLYNOMIAL(k) \
  (k) * (A1 + (k) * (A2 + (k) * (A3 + (k) * (A4 + (k) * A5))))

// The cumulative normal distribution.
inline float normal(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabs(d));
  float tail = 0.39894228040143267794f * exp(-0.5f * d * d) * (POLYNOMIAL(k));
  return d > 0 ? 1.0f - tail : tail;
}

void price(__global float* call, __global float* put, float stock, float strike, float years,
           float rate, float volatility) {
  float root = sqrt(years);
  float d1 = (log(stock / strike) + (rate + 0.5f * volatility * volatility) * years) /
             (volatility * root);
  float d2 = d1 - volatility * root;
  float discounted = strike * exp(-rate * years);
  *call = stock * normal(d1) - discounted * normal(d2);
  *put = discounted * (1.0f - normal(d2)) - stock * (1.0f - normal(d1));
}

__kernel void black_scholes(__global float* call, __global float* put,
                            __global const float* stock, __global const float* strike,
                            __global const float* years, float rate, float volatility,
                            unsigned int n) {
  for (unsigned int i = get_global_id(0); i < n; i += get_global_size(0)) {
    price(&call[i], &put[i], 5.0f + 25.0f * stock[i], 1.0f + 99.0f * strike[i],
          0.25f + 9.75f * years[i], rate, volatility);
  }
}
