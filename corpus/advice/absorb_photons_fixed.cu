// Light in tissue, by Monte Carlo: a thread follows a packet of photons through layers until its
// weight is small. What the tissue takes up in all is summed in one word, in millionths, so that
// the sum does not depend on the order. How deep each packet came is kept.

struct Tissue {
  float absorption, scattering;  // 1/mm
  float thickness;               // mm
};

__device__ __forceinline__ unsigned mixed(unsigned x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

__device__ __forceinline__ float uniform(unsigned& state) {
  state = state * 1664525u + 1013904223u;
  return ((mixed(state) >> 8) + 0.5f) * (1.0f / 16777216.0f);
}

__global__ void __launch_bounds__(256)
    absorb_photons(unsigned long long* __restrict__ absorbed, float* __restrict__ depths,
                   Tissue tissue, int steps, unsigned seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = mixed(seed + i);
  float weight = 1.0f, depth = 0.0f, deepest = 0.0f, cosine = 1.0f;
  float total = tissue.absorption + tissue.scattering;
  float share = tissue.absorption / total;
  unsigned long long sum = 0;
  for (int step = 0; step < steps; ++step) {
    depth += cosine * -__logf(uniform(state)) / total;
    if (depth < 0.0f || depth > tissue.thickness) break;
    deepest = fmaxf(deepest, depth);
    float taken = weight * share;
    weight -= taken;
    sum += static_cast<unsigned long long>(taken * 1e6f);
    cosine = 2.0f * uniform(state) - 1.0f;
  }
  depths[i] = deepest;
  for (int away = 16; away > 0; away /= 2) sum += __shfl_down_sync(~0u, sum, away);
  if (threadIdx.x % 32 == 0) atomicAdd(absorbed, sum);
}
