// Hand-written: a block sums 32 columns of one slab. Eight threads take a row's 32 floats (float4 each), the block's 64
// groups of eight take every 64th row; shared memory adds the groups up. All 512 blocks are resident at once.
#include <cuda_runtime.h>

namespace {
constexpr int kThreads = 512, kQuads = 8, kGroups = kThreads / kQuads;

__global__ void __launch_bounds__(kThreads)
    sum_middle(const float4 *__restrict__ in, float *__restrict__ out, int middle, int inner_quads) {
  __shared__ float4 partial[kGroups / 4][kQuads];
  const int quad = threadIdx.x % kQuads, group = threadIdx.x / kQuads;
  const float4 *from = in + (size_t)blockIdx.y * middle * inner_quads + blockIdx.x * kQuads + quad;
  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 8
  for (int m = group; m < middle; m += kGroups) {
    const float4 v = __ldcs(&from[(size_t)m * inner_quads]);
    sum.x += v.x;
    sum.y += v.y;
    sum.z += v.z;
    sum.w += v.w;
  }
  // The four groups of a warp.
#pragma unroll
  for (int step = 8; step <= 16; step *= 2) {
    sum.x += __shfl_xor_sync(~0u, sum.x, step);
    sum.y += __shfl_xor_sync(~0u, sum.y, step);
    sum.z += __shfl_xor_sync(~0u, sum.z, step);
    sum.w += __shfl_xor_sync(~0u, sum.w, step);
  }
  if (threadIdx.x % 32 < kQuads) partial[threadIdx.x / 32][quad] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    float total = 0;
#pragma unroll
    for (int i = 0; i < kGroups / 4; ++i) total += reinterpret_cast<const float *>(partial[i])[threadIdx.x];
    out[((size_t)blockIdx.y * inner_quads + blockIdx.x * kQuads) * 4 + threadIdx.x] = total;
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *in = *(const float4 **)arguments[0];
  float *out = *(float **)arguments[1];
  const int outer = *(int *)arguments[2], middle = *(int *)arguments[3], inner = *(int *)arguments[4];
  sum_middle<<<dim3(inner / 32, outer), kThreads, 0, stream>>>(in, out, middle, inner / 4);
}
