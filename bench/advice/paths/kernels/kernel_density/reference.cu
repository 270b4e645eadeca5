// Hand-written: the samples are split into parts so that the whole GPU has work (512 blocks); four queries per thread in
// registers, the block's samples in shared memory. Coordinates are scaled once, so that a pair takes two subtractions, a
// product, a fused multiply-add and one ex2. Parts are added up with atomics.
#include <cuda_runtime.h>

namespace {
constexpr int kThreads = 256, kQueries = 4, kPart = 256;

__device__ float exp2_fast(float x) {
  float result;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

__global__ void __launch_bounds__(kThreads, 4)
    add_kernels(const float *__restrict__ sample_x, const float *__restrict__ sample_y,
                const float *__restrict__ query_x, const float *__restrict__ query_y, float *__restrict__ density,
                int samples, int queries, float scale, float factor) {
  __shared__ __align__(16) float2 part[kPart];
  const int first = blockIdx.y * kPart, count = min(kPart, samples - first);
  for (int s = threadIdx.x; s < kPart; s += kThreads) {
    // Beyond the end: so far away that the kernel is 0.
    part[s] = s < count ? make_float2(sample_x[first + s] * scale, sample_y[first + s] * scale)
                        : make_float2(1e9f, 1e9f);
  }
  const int q = blockIdx.x * kThreads * kQueries + threadIdx.x;
  float x[kQueries], y[kQueries], sum[kQueries] = {};
#pragma unroll
  for (int i = 0; i < kQueries; ++i) {
    const bool inside = q + i * kThreads < queries;
    x[i] = inside ? query_x[q + i * kThreads] * scale : 0.0f;
    y[i] = inside ? query_y[q + i * kThreads] * scale : 0.0f;
  }
  __syncthreads();
#pragma unroll 4
  for (int s = 0; s < kPart; s += 2) {
    const float4 two = *(const float4 *)&part[s];
#pragma unroll
    for (int i = 0; i < kQueries; ++i) {
      const float dx = x[i] - two.x, dy = y[i] - two.y, ex = x[i] - two.z, ey = y[i] - two.w;
      sum[i] += exp2_fast(fmaf(-dx, dx, -dy * dy));
      sum[i] += exp2_fast(fmaf(-ex, ex, -ey * ey));
    }
  }
#pragma unroll
  for (int i = 0; i < kQueries; ++i) {
    if (q + i * kThreads < queries) atomicAdd(&density[q + i * kThreads], sum[i] * factor);
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float *sample_x = *(const float **)arguments[0], *sample_y = *(const float **)arguments[1];
  const float *query_x = *(const float **)arguments[2], *query_y = *(const float **)arguments[3];
  float *density = *(float **)arguments[4];
  const int samples = *(int *)arguments[5], queries = *(int *)arguments[6];
  const float bandwidth = *(float *)arguments[7];
  const float scale = 0.8493218002880191f / bandwidth;  // sqrt(log2(e) / 2)
  const float factor = 1.0f / (samples * 6.283185307f * bandwidth * bandwidth);
  cudaMemsetAsync(density, 0, sizeof(float) * queries, stream);
  const dim3 grid((queries + kThreads * kQueries - 1) / (kThreads * kQueries), (samples + kPart - 1) / kPart);
  add_kernels<<<grid, kThreads, 0, stream>>>(sample_x, sample_y, query_x, query_y, density, samples, queries, scale,
                                             factor);
}
