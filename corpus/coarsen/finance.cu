// Option prices (kind blackscholes): long straight arithmetic with special functions.

__device__ float normal_cdf(float d) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float tail = rsqrtf(2.0f * 3.14159265f) * expf(-0.5f * d * d) *
               (k * (0.31938153f +
                     k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0 ? 1.0f - tail : tail;
}

// Call prices only, one option per thread.
__global__ void black_scholes_calls(const float* __restrict__ price, const float* __restrict__ strike,
                                    const float* __restrict__ years, float* __restrict__ call, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    float s = 5 + 25 * price[i], x = 1 + 99 * strike[i], t = 0.25f + 9 * years[i];
    float root = sqrtf(t);
    float d1 = (logf(s / x) + (0.02f + 0.5f * 0.3f * 0.3f) * t) / (0.3f * root);
    float d2 = d1 - 0.3f * root;
    call[i] = s * normal_cdf(d1) - x * expf(-0.02f * t) * normal_cdf(d2);
  }
}

// Double precision; the grid covers the options exactly, so there is no bounds check.
__global__ void black_scholes_double(const double* __restrict__ price, const double* __restrict__ years,
                                     double* __restrict__ call) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double s = 10 + 50 * price[i], t = 0.5 + 4 * years[i], root = sqrt(t);
  double d1 = (log(s / 40.0) + (0.02 + 0.5 * 0.09) * t) / (0.3 * root);
  double d2 = d1 - 0.3 * root;
  call[i] = s * normcdf(d1) - 40.0 * exp(-0.02 * t) * normcdf(d2);
}

// Two options per thread through 64-bit loads and stores.
__global__ void black_scholes_pairs(const float2* __restrict__ price, const float2* __restrict__ years,
                                    float2* __restrict__ call, int pairs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  float2 s = price[i], t = years[i], c;
  float* results = &c.x;
  const float prices[2] = {s.x, s.y}, times[2] = {t.x, t.y};
#pragma unroll
  for (int k = 0; k < 2; ++k) {
    float root = sqrtf(0.25f + times[k]);
    float d1 = (logf(0.5f + prices[k]) + 0.065f * times[k]) / (0.3f * root);
    results[k] = (0.5f + prices[k]) * normal_cdf(d1) - normal_cdf(d1 - 0.3f * root);
  }
  call[i] = c;
}

// A random walk per thread that ends when it leaves the corridor: breaks after different counts.
__global__ void knock_out_paths(const unsigned* __restrict__ seeds, int* __restrict__ lived, int n,
                                int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned state = seeds[i] * 2654435761u + 1;
  int level = 0, step = 0;
  for (; step < steps; ++step) {
    state = state * 1664525u + 1013904223u;
    level += static_cast<int>(state >> 30) - 1;
    if (level > 12 || level < -3) break;
  }
  lived[i] = step * 100 + level;
}
