// Hand-written: a block counts into its own 4096 bins in shared memory, 16 pixels per thread and load; two blocks per SM.
#include <cuda_runtime.h>

namespace {
constexpr int kBins = 64 * 64, kThreads = 1024;

__global__ void __launch_bounds__(kThreads)
    count(const uint4 *__restrict__ first, const uint4 *__restrict__ second, int *__restrict__ counts, int quads) {
  __shared__ int bins[kBins];
  for (int i = threadIdx.x; i < kBins; i += kThreads) bins[i] = 0;
  __syncthreads();
  const auto add = [&](unsigned a, unsigned b) {
    // Per byte, the six high bits of a, then those of b.
    const unsigned high = a >> 2 & 0x3f3f3f3fu, low = b >> 2 & 0x3f3f3f3fu;
#pragma unroll
    for (int c = 0; c < 32; c += 8) atomicAdd(&bins[(high >> c & 63) * 64 + (low >> c & 63)], 1);
  };
#pragma unroll 2
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < quads; i += gridDim.x * kThreads) {
    const uint4 a = __ldcs(&first[i]), b = __ldcs(&second[i]);
    add(a.x, b.x);
    add(a.y, b.y);
    add(a.z, b.z);
    add(a.w, b.w);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < kBins; i += kThreads)
    if (bins[i] != 0) atomicAdd(&counts[i], bins[i]);
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const uint4 *first = *(const uint4 **)arguments[0], *second = *(const uint4 **)arguments[1];
  int *counts = *(int **)arguments[2];
  const int n = *(int *)arguments[3];
  count<<<132 * 2, kThreads, 0, stream>>>(first, second, counts, n / 16);
}
