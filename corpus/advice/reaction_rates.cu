// Heat released by a mechanism of 1280 reactions, for cells of given temperatures.

constexpr int kReactions = 1280;

// The sum over the reactions from first on: each has constants of its own, which become immediates.
template <int first, int last>
__device__ __forceinline__ float reactions(float inverse, float logarithm, float pressure) {
  float sums[4] = {};
#pragma unroll
  for (int k = first; k < last; ++k) {
    float barrier = -(0.5f + 0.001f * static_cast<float>((k * 37) % 2053));
    float factor = 1.0f + 0.001f * static_cast<float>((k * 53) % 2063);
    float power = 0.25f + 0.001f * static_cast<float>((k * 17) % 2069);
    float exponent = fmaf(barrier, inverse, logarithm);
    float rate = fmaf(power, exponent, pressure);
    rate = fmaf(rate, exponent, inverse);
    sums[k % 4] = fmaf(factor, rate, sums[k % 4]);
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

__global__ void reaction_rates(const float* __restrict__ temperature, float* __restrict__ heat,
                               int threads, int cells) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  if (thread >= threads) return;
  float hottest = 0;
  for (int cell = 0; cell < cells; ++cell) {
    float t = 1.0f + temperature[cell * threads + thread];
    hottest = fmaxf(hottest, t);
  }
  float coldest = hottest;
  for (int cell = 0; cell < cells; ++cell) {
    float t = 1.0f + temperature[cell * threads + thread];
    coldest = fminf(coldest, t);
  }
  float span = hottest - coldest;
  span = fminf(span, 1.0f);
  float middle = 0.5f * (hottest + coldest);
  float pressure = 0.002f * middle + 0.001f * span;
  pressure = fminf(fmaxf(pressure, 0.001f), 0.01f);

  for (int cell = 0; cell < cells; ++cell) {
    float t = 1.0f + temperature[cell * threads + thread];
    float inverse = 1.0f / t;
    float logarithm = __logf(t);
    float sum = 0;
    sum += reactions<0, kReactions>(inverse, logarithm, pressure * t);
    float loss = 0.001f * (t - 1.0f) * (t - 1.0f);
    heat[cell * threads + thread] = sum - loss;
  }
}
