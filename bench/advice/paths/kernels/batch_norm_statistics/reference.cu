// Hand-written: 16 blocks per channel, float4 loads (14 independent ones per thread), warp shuffles; the last block of a
// channel to finish adds the partial sums up.
#include <cuda_runtime.h>

namespace {
constexpr int kThreads = 224, kQuads = 3136 / 4, kImages = 4;  // 4 images of a channel are 14 quads per thread
constexpr int kLoads = kImages * kQuads / kThreads;
constexpr int kMaxChannels = 4096, kMaxParts = 64;
static_assert(kLoads * kThreads == kImages * kQuads);

__device__ float2 partial[kMaxChannels * kMaxParts];
__device__ unsigned finished[kMaxChannels];  // wraps to 0 by itself

__global__ void __launch_bounds__(kThreads)
    statistics(const float4 *__restrict__ x, float *__restrict__ mean, float *__restrict__ variance, int images,
               int channels) {
  __shared__ float2 warps[kThreads / 32];
  __shared__ bool last;
  const int channel = blockIdx.x, part = blockIdx.y, parts = gridDim.y, t = threadIdx.x;
  float4 v[kLoads];
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    const int at = i * kThreads + t, image = part * kImages + at / kQuads;
    v[i] = image < images ? __ldcs(&x[((size_t)image * channels + channel) * kQuads + at % kQuads])
                          : make_float4(0, 0, 0, 0);
  }
  float sum = 0, square = 0;
#pragma unroll
  for (int i = 0; i < kLoads; ++i) {
    sum += (v[i].x + v[i].y) + (v[i].z + v[i].w);
    square += (v[i].x * v[i].x + v[i].y * v[i].y) + (v[i].z * v[i].z + v[i].w * v[i].w);
  }
  for (int step = 16; step > 0; step /= 2) {
    sum += __shfl_xor_sync(~0u, sum, step);
    square += __shfl_xor_sync(~0u, square, step);
  }
  if (t % 32 == 0) warps[t / 32] = make_float2(sum, square);
  __syncthreads();
  if (t == 0) {
    float2 total = warps[0];
    for (int warp = 1; warp < kThreads / 32; ++warp) {
      total.x += warps[warp].x;
      total.y += warps[warp].y;
    }
    __stcg(&partial[channel * kMaxParts + part], total);
    __threadfence();
    last = atomicInc(&finished[channel], parts - 1) == parts - 1;
    __threadfence();
  }
  __syncthreads();
  if (!last || t >= 32) return;
  sum = square = 0;
  for (int i = t; i < parts; i += 32) {
    const float2 p = __ldcg(&partial[channel * kMaxParts + i]);
    sum += p.x;
    square += p.y;
  }
  for (int step = 16; step > 0; step /= 2) {
    sum += __shfl_xor_sync(~0u, sum, step);
    square += __shfl_xor_sync(~0u, square, step);
  }
  if (t == 0) {
    const float count = (float)images * (4 * kQuads), m = sum / count;
    mean[channel] = m;
    variance[channel] = square / count - m * m;
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *x = *(const float4 **)arguments[0];
  float *mean = *(float **)arguments[1], *variance = *(float **)arguments[2];
  const int images = *(int *)arguments[3], channels = *(int *)arguments[4];  // of 3136 pixels
  statistics<<<dim3(channels, (images + kImages - 1) / kImages), kThreads, 0, stream>>>(x, mean, variance, images,
                                                                                       channels);
}
