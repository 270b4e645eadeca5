// What a portfolio of options would lose in many scenarios of the market, by its sensitivities: a
// thread has a scenario, positions go through shared memory by chunks. No position may lose more
// than its stop.

constexpr int kThreads = 128;

struct Shock {
  float spot, volatility;
};

// Sensitivities of a position: delta, gamma, vega, and the stop.
__device__ __forceinline__ float result_of(float4 position, Shock shock) {
  float result = position.z * shock.volatility;
  float slope = position.x + 0.5f * position.y * shock.spot;
  return fmaxf(result + slope * shock.spot, -position.w);
}

__device__ __forceinline__ Shock centred(float2 raw) {
  return {0.4f * raw.x - 0.2f, 0.2f * raw.y - 0.1f};
}

__global__ void __launch_bounds__(kThreads)
    scenario_losses(const float4* __restrict__ positions, const float2* __restrict__ shocks,
                    float* __restrict__ losses, int count) {
  __shared__ float4 chunk[kThreads];
  int scenario = blockIdx.x * kThreads + threadIdx.x;
  Shock shock = centred(shocks[scenario]);

  float total = 0;
  for (int first = 0; first < count; first += kThreads) {
    chunk[threadIdx.x] = positions[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < kThreads; ++k) {
      float4 position = chunk[k];
      total += result_of(position, shock);
    }
    __syncthreads();
  }
  losses[scenario] = -total;
}
