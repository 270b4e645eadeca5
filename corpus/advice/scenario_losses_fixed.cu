// What a portfolio of options would lose in many scenarios of the market, by its sensitivities: a
// thread has four scenarios, positions go through shared memory by chunks. No position may lose
// more than its stop.

constexpr int kThreads = 128;
constexpr int kEach = 4;  // scenarios of a thread

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
  int scenario = blockIdx.x * kThreads * kEach + threadIdx.x;
  Shock shock[kEach];
#pragma unroll
  for (int each = 0; each < kEach; ++each) {
    shock[each] = centred(shocks[scenario + each * kThreads]);
  }

  float totals[kEach] = {};
  for (int first = 0; first < count; first += kThreads) {
    chunk[threadIdx.x] = positions[first + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < kThreads; ++k) {
      float4 position = chunk[k];
#pragma unroll
      for (int each = 0; each < kEach; ++each) totals[each] += result_of(position, shock[each]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int each = 0; each < kEach; ++each) losses[scenario + each * kThreads] = -totals[each];
}
