// A simple recurrent layer of 128 units: each state is made of the state before and the input,
// which has been multiplied with its weights already. A block goes through a sequence; a thread has
// a unit and holds the unit's weights in registers.

#include <cuda_fp16.h>

constexpr int kUnits = 128;

__device__ __forceinline__ float squashed(float x) {
  return __fdividef(x, 1.0f + fabsf(x));
}

__device__ __forceinline__ float product(const float (&weights)[kUnits], const float* states) {
  float sums[4] = {};
#pragma unroll
  for (int k = 0; k < kUnits; k += 4) {
    float4 four = *reinterpret_cast<const float4*>(states + k);
    sums[0] += weights[k] * four.x;
    sums[1] += weights[k + 1] * four.y;
    sums[2] += weights[k + 2] * four.z;
    sums[3] += weights[k + 3] * four.w;
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

__global__ void __launch_bounds__(kUnits)
    recurrent_states(const __half* __restrict__ inputs, const float* __restrict__ recurrent,
                     const float* __restrict__ biases, __half* __restrict__ outputs, int steps) {
  __shared__ alignas(16) float states[kUnits];
  int unit = threadIdx.x;
  float weights[kUnits];
#pragma unroll
  for (int k = 0; k < kUnits; ++k) weights[k] = recurrent[k * kUnits + unit] - 0.5f;
  float bias = biases[unit] - 0.5f;
  size_t place = static_cast<size_t>(blockIdx.x) * steps * kUnits + unit;
  states[unit] = 0;
  __syncthreads();

  for (int step = 0; step < steps; ++step, place += kUnits) {
    float sum = product(weights, states);
    __syncthreads();
    float input = __half2float(inputs[place]);
    float state = squashed(sum + bias + input);
    states[unit] = state;
    outputs[place] = __float2half(state);
    __syncthreads();
  }
}
