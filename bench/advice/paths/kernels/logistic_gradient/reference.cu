// Hand-written: half a warp per sample with 64 features (16 lanes, a float4 each), so a sample is read once and stays in
// registers. The lanes add up the gradient in registers over all their samples; a block adds its sum to the result once.
#include <cuda_runtime.h>

namespace {
constexpr int kQuads = 16, kUnroll = 4, kWarps = 8;

__global__ void __launch_bounds__(kWarps * 32, 4)
    add_gradient(const float4 *__restrict__ x, const int *__restrict__ labels, const float4 *__restrict__ weights,
                 float bias, float *__restrict__ gradient, int samples) {
  __shared__ __align__(16) float sums[kWarps * 2][kQuads * 4];
  const int half = (blockIdx.x * blockDim.x + threadIdx.x) / 16, halves = gridDim.x * blockDim.x / 16;
  const int quad = threadIdx.x % 16;
  const float4 w = weights[quad];
  float4 sum = make_float4(0, 0, 0, 0);
  // Both halves of a warp do the same number of rounds: the number depends on the warp's first sample.
  for (int base = half & ~1; base < samples; base += halves * kUnroll) {
    float4 mine[kUnroll];
    float z[kUnroll], label[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      const int i = base + (half & 1) + u * halves;
      mine[u] = i < samples ? __ldcs(&x[(size_t)i * kQuads + quad]) : make_float4(0, 0, 0, 0);
      label[u] = i < samples ? (float)labels[i] : 0.0f;
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      z[u] = mine[u].x * w.x + mine[u].y * w.y + mine[u].z * w.z + mine[u].w * w.w;
#pragma unroll
      for (int step = 8; step > 0; step /= 2) z[u] += __shfl_xor_sync(~0u, z[u], step);
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      const float error = __fdividef(1.0f, 1.0f + __expf(-(z[u] + bias))) - label[u];
      sum.x += error * mine[u].x, sum.y += error * mine[u].y, sum.z += error * mine[u].z, sum.w += error * mine[u].w;
    }
  }
  *(float4 *)&sums[threadIdx.x / 16][quad * 4] = sum;
  __syncthreads();
  if (threadIdx.x < kQuads * 4) {
    float total = 0;
#pragma unroll
    for (int i = 0; i < kWarps * 2; ++i) total += sums[i][threadIdx.x];
    atomicAdd(&gradient[threadIdx.x], total / samples);
  }
}
}  // namespace

// 64 features.
extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *x = *(const float4 **)arguments[0], *weights = *(const float4 **)arguments[2];
  const int *labels = *(const int **)arguments[1];
  const float bias = *(float *)arguments[3];
  float *gradient = *(float **)arguments[4];
  const int samples = *(int *)arguments[5];
  add_gradient<<<132 * 4, kWarps * 32, 0, stream>>>(x, labels, weights, bias, gradient, samples);
}
