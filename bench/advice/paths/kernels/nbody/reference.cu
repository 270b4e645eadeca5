// Hand-written. Tiles of bodies in shared memory, reciprocal square root instead of division, two bodies per thread.
// The other bodies are split among blockIdx.y, so that all SMs have work; the parts are added atomically.
#include <cuda_runtime.h>

namespace {
constexpr int kThreads = 128;
constexpr int kPerThread = 2;
constexpr int kParts = 16;

__global__ void __launch_bounds__(kThreads)
    accelerate(const float4 *__restrict__ bodies, float *__restrict__ ax, float *__restrict__ ay,
               float *__restrict__ az, int n, float softening) {
  __shared__ float4 tile[kThreads];
  float4 mine[kPerThread];
  float3 sum[kPerThread] = {};
  int index[kPerThread];
#pragma unroll
  for (int b = 0; b < kPerThread; ++b) {
    index[b] = (blockIdx.x * kPerThread + b) * kThreads + threadIdx.x;
    mine[b] = index[b] < n ? bodies[index[b]] : float4{};
  }
  const int part = (n + kParts - 1) / kParts;
  const int begin = blockIdx.y * part, end = min(begin + part, n);
  for (int first = begin; first < end; first += kThreads) {
    const int j = first + threadIdx.x;
    tile[threadIdx.x] = j < end ? bodies[j] : make_float4(0, 0, 0, 0);  // no mass, no force
    __syncthreads();
#pragma unroll 16
    for (int k = 0; k < kThreads; ++k) {
      const float4 other = tile[k];
#pragma unroll
      for (int b = 0; b < kPerThread; ++b) {
        const float dx = other.x - mine[b].x, dy = other.y - mine[b].y, dz = other.z - mine[b].z;
        const float inverse = rsqrtf(dx * dx + dy * dy + (dz * dz + softening));
        const float f = other.w * inverse * inverse * inverse;
        sum[b].x += f * dx, sum[b].y += f * dy, sum[b].z += f * dz;
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int b = 0; b < kPerThread; ++b) {
    if (index[b] < n) {
      atomicAdd(&ax[index[b]], sum[b].x);
      atomicAdd(&ay[index[b]], sum[b].y);
      atomicAdd(&az[index[b]], sum[b].z);
    }
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *bodies = *(const float4 **)arguments[0];
  float *ax = *(float **)arguments[1], *ay = *(float **)arguments[2], *az = *(float **)arguments[3];
  const int n = *(int *)arguments[4];
  for (float *sums : {ax, ay, az}) cudaMemsetAsync(sums, 0, n * sizeof(float), stream);
  const int per_block = kThreads * kPerThread;
  const dim3 grid((n + per_block - 1) / per_block, kParts);
  accelerate<<<grid, kThreads, 0, stream>>>(bodies, ax, ay, az, n, *(float *)arguments[5]);
}
