// Reordering of the qubits in a simulated quantum register: each amplitude moves to the index whose
// bits are those of its own in another order. Amplitudes whose parity under a mask is odd change
// their sign.

constexpr int kQubits = 22;

// Where each bit of an index comes from, and the mask that selects the sign; set by the host.
__constant__ int origins[kQubits] = {0,  1, 2,  7, 12, 5,  16, 3, 18, 9,  20,
                                     11, 4, 13, 6, 15, 10, 17, 8, 19, 14, 21};
__constant__ unsigned sign_bits[kQubits] = {1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 0,
                                            1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1};

__device__ __forceinline__ unsigned source_of(unsigned index) {
  unsigned source = 0;
#pragma unroll
  for (int bit = 0; bit < kQubits; ++bit) source |= (index >> bit & 1) << origins[bit];
  return source;
}

__device__ __forceinline__ unsigned parity_of(unsigned index) {
  unsigned parity = 0;
#pragma unroll
  for (int bit = 0; bit < kQubits; ++bit) parity ^= index >> bit & sign_bits[bit];
  return parity & 1;
}

__global__ void __launch_bounds__(256)
    permute_qubits(const float2* __restrict__ amplitudes, float2* __restrict__ reordered,
                   float* __restrict__ weights) {
  unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
  float2 amplitude = amplitudes[source_of(index)];
  float sign = parity_of(index) ? -1.0f : 1.0f;
  reordered[index] = {sign * amplitude.x, sign * amplitude.y};
  // The weight of each group of 32 states, for the measurement.
  float weight = amplitude.x * amplitude.x + amplitude.y * amplitude.y;
  for (int away = 16; away > 0; away /= 2) weight += __shfl_down_sync(~0u, weight, away);
  if (threadIdx.x % 32 == 0) weights[index / 32] = weight;
}
