// A layer's output, biased and passed through a gate (SiLU), is added to the residual stream; all
// in halves, the sums in floats.

#include <cuda_fp16.h>

constexpr float kMost = 65504.0f;

__device__ __forceinline__ float gated(float value) {
  return __fdividef(value, 1.0f + __expf(-value));
}

__device__ __forceinline__ __half added(__half residual, __half output, __half bias, float scale) {
  float value = __half2float(output) + __half2float(bias);
  float sum = __half2float(residual) + scale * gated(value);
  sum = fminf(fmaxf(sum, -kMost), kMost);
  return __float2half(sum);
}

__global__ void gated_residual(const __half* __restrict__ outputs,
                               const __half* __restrict__ biases,
                               const __half* __restrict__ residuals, __half* __restrict__ sums,
                               int tokens, int width, float scale) {
  int channel = blockIdx.x * blockDim.x + threadIdx.x;
  int token = blockIdx.y;
  if (channel >= width || token >= tokens) return;
  size_t place = static_cast<size_t>(token) * width + channel;

  __half output = outputs[place];
  __half residual = residuals[place];
  __half bias = biases[channel];
  sums[place] = added(residual, output, bias, scale);
}
