// Hand-written: single precision throughout, four options per thread with float4 accesses, the fast logarithm and
// exponential, and put from call by put-call parity.
#include <cuda_runtime.h>

namespace {
__device__ float normal_cdf(float d) { return fmaf(0.5f, erff(d * 0.70710678f), 0.5f); }

__device__ void price_option(float price, float strike, float years, float rate, float volatility, float &call,
                             float &put) {
  const float s = fmaf(90.0f, price, 10.0f), k = fmaf(90.0f, strike, 10.0f), t = fmaf(9.75f, years, 0.25f);
  const float inverse_root = rsqrtf(t), spread = volatility * t * inverse_root;
  const float d1 = (__logf(__fdividef(s, k)) + fmaf(0.5f * volatility, volatility, rate) * t) *
                   __fdividef(inverse_root, volatility);
  const float discounted = k * __expf(-rate * t);
  call = s * normal_cdf(d1) - discounted * normal_cdf(d1 - spread);
  put = call + discounted - s;
}

__global__ void __launch_bounds__(256)
    price_all(const float4 *__restrict__ price, const float4 *__restrict__ strike, const float4 *__restrict__ years,
              float4 *__restrict__ call, float4 *__restrict__ put, int quads, float rate, float volatility) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  const float4 s = __ldcs(&price[i]), k = __ldcs(&strike[i]), t = __ldcs(&years[i]);
  float4 c, p;
  price_option(s.x, k.x, t.x, rate, volatility, c.x, p.x);
  price_option(s.y, k.y, t.y, rate, volatility, c.y, p.y);
  price_option(s.z, k.z, t.z, rate, volatility, c.z, p.z);
  price_option(s.w, k.w, t.w, rate, volatility, c.w, p.w);
  __stcs(&call[i], c);
  __stcs(&put[i], p);
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *price = *(const float4 **)arguments[0], *strike = *(const float4 **)arguments[1],
               *years = *(const float4 **)arguments[2];
  float4 *call = *(float4 **)arguments[3], *put = *(float4 **)arguments[4];
  const int quads = *(int *)arguments[5] / 4;
  price_all<<<(quads + 255) / 256, 256, 0, stream>>>(price, strike, years, call, put, quads,
                                                     *(float *)arguments[6], *(float *)arguments[7]);
}
