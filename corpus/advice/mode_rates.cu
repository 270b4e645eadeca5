// A flow past an obstacle, reduced to 28 modes: how fast the amplitude of each mode changes, for
// many states of the flow. Modes feed on each other in pairs; the couplings were found by
// Galerkin's projection and are compiled in.

constexpr int kModes = 28;

__host__ __device__ constexpr float damping(int i, int j) {
  return (i == j ? -0.5f : 0.0f) + 0.0005f * static_cast<float>((i * 71 + j * 29) % 997 - 498);
}

__host__ __device__ constexpr float coupling(int i, int j, int k) {
  return 0.0001f * (static_cast<float>((i * 373 + j * 151 + k * 67) % 2053) - 1026.5f);
}

// The rate of mode i in the state a.
template <int i>
__device__ __forceinline__ float mode_rate(const float (&a)[kModes]) {
  float rate = 0;
#pragma unroll
  for (int j = 0; j < kModes; ++j) {
    float factor = damping(i, j);
#pragma unroll
    for (int k = j; k < kModes; ++k) factor = fmaf(coupling(i, j, k), a[k], factor);
    rate = fmaf(factor, a[j], rate);
  }
  return rate;
}

template <int first, int last>
__device__ __forceinline__ void store_rates(const float (&a)[kModes], float* rates, int states) {
  rates[first * states] = mode_rate<first>(a);
  if constexpr (first + 1 < last) store_rates<first + 1, last>(a, rates, states);
}

// The rates of the modes from first on, in all states of the thread.
template <int first, int last>
__device__ __forceinline__ void mode_rates_of(const float* __restrict__ amplitudes,
                                              float* __restrict__ rates, int states) {
  int step = gridDim.x * blockDim.x;
  for (int state = blockIdx.x * blockDim.x + threadIdx.x; state < states; state += step) {
    float a[kModes];
#pragma unroll
    for (int mode = 0; mode < kModes; ++mode) a[mode] = amplitudes[mode * states + state] - 0.5f;
    store_rates<first, last>(a, rates + state, states);
  }
}

__global__ void __launch_bounds__(128)
    mode_rates(const float* __restrict__ amplitudes, float* __restrict__ rates, int states) {
  mode_rates_of<0, kModes>(amplitudes, rates, states);
}
