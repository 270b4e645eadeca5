// European call and put options by the Black-Scholes formula: one thread per option.
#include <math.h>

__device__ float normal_cdf(float d) {
    return 0.5f * (1.0f + erff(d / sqrtf(2.0f)));
}

extern "C" __global__ void black_scholes(const float *price, const float *strike, const float *years,
                                         float *call, float *put, int n, float rate, float volatility) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float s = 10.0f + 90.0f * price[i];
    float k = 10.0f + 90.0f * strike[i];
    float t = 0.25f + 9.75f * years[i];
    float d1 = (logf(s / k) + (rate + 0.5f * volatility * volatility) * t) / (volatility * sqrtf(t));
    float d2 = d1 - volatility * sqrtf(t);
    float discounted = k * expf(-rate * t);
    call[i] = s * normal_cdf(d1) - discounted * normal_cdf(d2);
    put[i] = discounted * (1.0f - normal_cdf(d2)) - s * (1.0f - normal_cdf(d1));
}
