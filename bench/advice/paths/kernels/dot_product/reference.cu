// Hand-written: grid-stride loop with float4 loads, four independent loads in flight, shuffles, one atomic per block.
#include <cuda_runtime.h>

namespace {
constexpr int kThreads = 512;

__global__ void __launch_bounds__(kThreads)
    dot(const float4 *__restrict__ x, const float4 *__restrict__ y, float *__restrict__ result, int quads) {
  __shared__ float partial[kThreads / 32];
  float sum = 0;
#pragma unroll 4
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < quads; i += gridDim.x * kThreads) {
    const float4 a = __ldcs(&x[i]), b = __ldcs(&y[i]);
    sum += a.x * b.x + a.y * b.y + (a.z * b.z + a.w * b.w);
  }
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < kThreads / 32 ? partial[threadIdx.x] : 0.0f;
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    if (threadIdx.x == 0) atomicAdd(result, sum);
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *x = *(const float4 **)arguments[0], *y = *(const float4 **)arguments[1];
  dot<<<132 * 4, kThreads, 0, stream>>>(x, y, *(float **)arguments[2], *(int *)arguments[3] / 4);
}
