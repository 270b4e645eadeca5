// Hand-written: one block per token. 64 threads compute the token's 64 sines and cosines once, for all 32 heads, while
// the loads are under way. A warp takes a head of 128 floats (float4 per lane), four heads in turn.
#include <cuda_runtime.h>

namespace {
constexpr int kDim = 128, kPairs = kDim / 2, kWarps = 8, kHeads = 32, kPerWarp = kHeads / kWarps;

__global__ void __launch_bounds__(kWarps * 32)
    rotate(const float4 *__restrict__ x, const int *__restrict__ positions, float4 *__restrict__ out) {
  __shared__ float4 rotation[kPairs / 2];  // cosine and sine of two pairs
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const size_t first = ((size_t)blockIdx.x * kHeads + warp) * (kDim / 4) + lane;
  float4 mine[kPerWarp];
#pragma unroll
  for (int i = 0; i < kPerWarp; ++i) mine[i] = __ldcs(&x[first + i * kWarps * (kDim / 4)]);
  if (threadIdx.x < kPairs) {
    float sine, cosine;
    sincosf(positions[blockIdx.x] * powf(10000.0f, -2.0f * threadIdx.x / kDim), &sine, &cosine);
    reinterpret_cast<float2 *>(rotation)[threadIdx.x] = make_float2(cosine, sine);
  }
  __syncthreads();
  const float4 r = rotation[lane];
#pragma unroll
  for (int i = 0; i < kPerWarp; ++i) {
    const float4 v = mine[i];
    __stcs(&out[first + i * kWarps * (kDim / 4)],
           make_float4(v.x * r.x - v.y * r.y, v.x * r.y + v.y * r.x, v.z * r.z - v.w * r.w, v.z * r.w + v.w * r.z));
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *x = *(const float4 **)arguments[0];
  const int *positions = *(const int **)arguments[1];
  float4 *out = *(float4 **)arguments[2];
  const int tokens = *(int *)arguments[3];  // of 32 heads of 128
  rotate<<<tokens, kWarps * 32, 0, stream>>>(x, positions, out);
}
