// Amounts of four nuclides that decay into each other, in many samples of rock: the chain is
// followed in small steps of time, with a second-order (midpoint) rule.

struct Chain {
  float rates[4];  // decays per million years
  float step;      // million years
  int steps;
};

__device__ __forceinline__ float4 change(float4 n, const Chain& chain) {
  float first = chain.rates[0] * n.x, second = chain.rates[1] * n.y;
  float third = chain.rates[2] * n.z, fourth = chain.rates[3] * n.w;
  return make_float4(-first, first - second, second - third, third - fourth);
}

__device__ __forceinline__ float4 moved(float4 n, float4 by, float time) {
  return make_float4(n.x + time * by.x, n.y + time * by.y, n.z + time * by.z, n.w + time * by.w);
}

__global__ void decay_chains(const float4* __restrict__ before, float4* __restrict__ after,
                             int samples, Chain chain) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < samples; i += gridDim.x * blockDim.x) {
    float4 amounts = before[i];
    for (int k = 0; k < chain.steps; ++k) {
      float4 middle = moved(amounts, change(amounts, chain), 0.5f * chain.step);
      amounts = moved(amounts, change(middle, chain), chain.step);
    }
    after[i] = amounts;
  }
}
