// Hand-written: the same random numbers with the fast functions of the special function unit. The logarithm of the price
// is kept to base 2 and scaled beforehand, so a step needs one lg2, one sqrt, one cos, one ex2 and few additions. Payoffs
// are added up by warp shuffles and in shared memory, then with one atomic per block.
#include <cuda_runtime.h>

namespace {
constexpr int kThreads = 256;

__device__ __forceinline__ float fast_log2(float x) {
  float y;
  asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ float fast_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ float fast_sqrt(float x) {
  float y;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}
__device__ __forceinline__ unsigned next(unsigned &x) {
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return x;
}

__global__ void __launch_bounds__(kThreads)
    simulate(float *sum, int paths, int steps, float strike, float log2_price, float drift, float scale, float discount,
             unsigned seed) {
  __shared__ float warps[kThreads / 32];
  const int path = blockIdx.x * kThreads + threadIdx.x;
  float payoff = 0;
  if (path < paths) {
    unsigned state = seed + path;
    state = (state ^ 61) ^ (state >> 16);
    state *= 9;
    state ^= state >> 4;
    state *= 0x27d4eb2d;
    state ^= state >> 15;
    if (state == 0) state = 1;
    float exponent = log2_price, total = 0;
#pragma unroll 4
    for (int i = 0; i < steps; ++i) {
      // log2(u1) = log2(24 bits + 1) - 24; the cosine is taken between -pi and pi, where the fast one is precise.
      const float log_u1 = fast_log2((float)((next(state) >> 8) + 1) * 0x1p-24f);
      const float angle = (float)(int)((next(state) >> 8) - 0x800000u) * (6.283185307f * 0x1p-24f);
      // scale has the sign of cos(x + pi) = -cos(x), the base of the logarithm and the 2 of Box-Muller in it.
      exponent += drift + scale * fast_sqrt(-log_u1) * __cosf(angle);
      total += fast_exp2(exponent);
    }
    payoff = fmaxf(total / steps - strike, 0.0f) * discount;
  }
  for (int step = 16; step > 0; step /= 2) payoff += __shfl_xor_sync(~0u, payoff, step);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = payoff;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int warp = 1; warp < kThreads / 32; ++warp) payoff += warps[warp];
    atomicAdd(sum, payoff);
  }
}
}  // namespace

#include <cmath>

extern "C" void launch(void **arguments, cudaStream_t stream) {
  float *sum = *(float **)arguments[0];
  const int paths = *(int *)arguments[1], steps = *(int *)arguments[2];
  const double price = *(float *)arguments[3], strike = *(float *)arguments[4], rate = *(float *)arguments[5];
  const double volatility = *(float *)arguments[6], years = *(float *)arguments[7];
  const unsigned seed = *(unsigned *)arguments[8];
  const double dt = years / steps, log2_e = 1.4426950408889634;
  const double drift = (rate - 0.5 * volatility * volatility) * dt * log2_e;
  const double scale = -volatility * std::sqrt(dt) * log2_e * std::sqrt(2 / log2_e);
  simulate<<<(paths + kThreads - 1) / kThreads, kThreads, 0, stream>>>(
      sum, paths, steps, (float)strike, (float)std::log2(price), (float)drift, (float)scale,
      (float)std::exp(-rate * years), seed);
}
