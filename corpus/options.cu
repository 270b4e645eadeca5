// Option pricing.

// Cumulative normal distribution through erfcf.
__device__ float normal(float x) {
  return 0.5f * erfcf(-0.70710678f * x);
}

// Black and Scholes with the precise functions: logf, expf, sqrtf, erfcf and IEEE division.
__global__ void black_scholes(const float* __restrict__ price, const float* __restrict__ strike,
                              const float* __restrict__ years, float* __restrict__ call,
                              float* __restrict__ put, float rate, float volatility, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float s = 5.0f + 25.0f * price[i], k = 5.0f + 25.0f * strike[i], t = 0.25f + 9.0f * years[i];
    float root = sqrtf(t);
    float d1 = (logf(s / k) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root);
    float d2 = d1 - volatility * root;
    float discount = k * expf(-rate * t);
    call[i] = s * normal(d1) - discount * normal(d2) + 1.0f;
    put[i] = discount * normal(-d2) - s * normal(-d1) + 1.0f;
  }
}

// Black and Scholes with the fast functions (__logf, __expf, __fdividef) and a polynomial for the
// normal distribution, branch-free.
__global__ void black_scholes_fast(const float* __restrict__ price,
                                   const float* __restrict__ strike,
                                   const float* __restrict__ years, float* __restrict__ call,
                                   float rate, float volatility, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float s = 5.0f + 25.0f * price[i], k = 5.0f + 25.0f * strike[i], t = 0.25f + 9.0f * years[i];
    float root = __fsqrt_rn(t);
    float d[2];
    d[0] = __fdividef(__logf(__fdividef(s, k)) + (rate + 0.5f * volatility * volatility) * t,
                      volatility * root);
    d[1] = d[0] - volatility * root;
    float cumulative[2];
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      float u = __fdividef(1.0f, 1.0f + 0.2316419f * fabsf(d[j]));
      float tail =
          0.39894228f * __expf(-0.5f * d[j] * d[j]) * u *
          (0.31938153f +
           u * (-0.356563782f + u * (1.781477937f + u * (-1.821255978f + u * 1.330274429f))));
      cumulative[j] = d[j] > 0 ? 1.0f - tail : tail;
    }
    call[i] = s * cumulative[0] - k * __expf(-rate * t) * cumulative[1] + 1.0f;
  }
}

// A binomial tree per block, folded back in shared memory one level per barrier. An American put.
__global__ void binomial_tree(const float* __restrict__ strike, float* __restrict__ value, float up,
                              float probability, float discount, int levels) {
  extern __shared__ float tree[];
  int j = threadIdx.x;
  float k = 50.0f + 100.0f * strike[blockIdx.x];
  float spot = 100.0f;
  for (int step = 0; step < levels; ++step) spot = step < j ? spot * up : spot / up;
  tree[j] = fmaxf(k - spot, 0.0f);
  for (int level = levels - 1; level >= 0; --level) {
    __syncthreads();
    float hold = 0;
    if (j <= level) hold = discount * (probability * tree[j + 1] + (1 - probability) * tree[j]);
    spot *= up;
    __syncthreads();
    if (j <= level) tree[j] = fmaxf(hold, k - spot);
  }
  if (j == 0) value[blockIdx.x] = tree[0];
}

// Ten rounds of Philox 4x32: 32×32→64-bit products (IMAD.WIDE, IMAD.HI) and exclusive-ors.
__device__ uint4 philox(uint4 counter, uint2 key) {
#pragma unroll
  for (int round = 0; round < 10; ++round) {
    unsigned high0 = __umulhi(0xD2511F53u, counter.x), low0 = 0xD2511F53u * counter.x;
    unsigned high1 = __umulhi(0xCD9E8D57u, counter.z), low1 = 0xCD9E8D57u * counter.z;
    counter = make_uint4(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
    key.x += 0x9E3779B9u;
    key.y += 0xBB67AE85u;
  }
  return counter;
}

// Philox's random numbers alone: 32×32→64-bit products, exact.
__global__ void philox_words(uint4* __restrict__ out, unsigned seed, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    out[i] = philox(make_uint4(i, 0, 0, 0), make_uint2(seed, 0x5eed));
  }
}

// Monte Carlo paths of a geometric Brownian motion: Philox, Box and Muller with __logf, __sincosf.
__global__ void monte_carlo(float* __restrict__ mean, float drift, float volatility, int paths,
                            unsigned seed) {
  int thread = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int p = 0; p < paths; ++p) {
    uint4 r = philox(make_uint4(thread, p, 0, 0), make_uint2(seed, 0));
    float log_spot = 0;
    const unsigned words[4] = {r.x, r.y, r.z, r.w};
#pragma unroll
    for (int k = 0; k < 4; k += 2) {
      float u = (words[k] + 1.0f) * 0x1p-32f, angle = words[k + 1] * (6.2831853f * 0x1p-32f);
      float radius = sqrtf(-2.0f * __logf(fmaxf(u, 1e-7f)));
      float sine, cosine;
      __sincosf(angle, &sine, &cosine);
      log_spot += 2 * drift + volatility * radius * (sine + cosine);
    }
    sum += fmaxf(__expf(log_spot), 0.25f);
  }
  mean[thread] = sum / paths;
}
