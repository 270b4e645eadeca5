// Call and put prices of European options by the formula of Black and Scholes, the mean over
// several maturities.

__device__ float normal_below(float d) {
  float t = 1.0f / (1.0f + 0.2316419f * fabsf(d));
  float series = 1.330274429f;
  series = series * t - 1.821255978f;
  series = series * t + 1.781477937f;
  series = series * t - 0.356563782f;
  series = series * t + 0.319381530f;
  float above = 0.39894228f * expf(-0.5f * d * d) * series * t;
  return d > 0 ? 1.0f - above : above;
}

__global__ void option_prices(const float* __restrict__ spot_prices,
                              const float* __restrict__ strike_prices, float* __restrict__ calls,
                              float* __restrict__ puts, float interest, int options,
                              int maturities) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= options) return;
  float spot = 20.0f + 10.0f * spot_prices[i];
  float strike = 18.0f + 10.0f * strike_prices[i];
  float volatility = 0.3f;
  float call_sum = 0, put_sum = 0;

  for (int k = 1; k <= maturities; ++k) {
    float years = 0.5f * static_cast<float>(k);
    float deviation = volatility * sqrtf(years);
    float drift = (interest + 0.5f * volatility * volatility) * years;
    float d1 = (logf(spot / strike) + drift) / deviation;
    float d2 = d1 - deviation;

    float below1 = normal_below(d1);
    float below2 = normal_below(d2);
    float discount = powf(1.0f + interest, -years);
    float call = spot * below1 - strike * discount * below2;
    float put = strike * discount * (1.0f - below2) - spot * (1.0f - below1);
    call_sum += call;
    put_sum += put;
  }

  calls[i] = call_sum / static_cast<float>(maturities);
  puts[i] = put_sum / static_cast<float>(maturities);
}
