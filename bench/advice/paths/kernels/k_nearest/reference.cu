// Hand-written: eight lanes share a query, each with every eighth point and its own sorted list of eight, so that there
// are 131072 threads instead of 16384. Points go through shared memory as float4. In the end the eight lists are merged:
// eight times the smallest of the heads is taken out.
#include <cuda_runtime.h>

namespace {
constexpr int kBest = 8, kShare = 8, kThreads = 256, kTile = 1024, kPart = 256;

__global__ void __launch_bounds__(kThreads)
    nearest(const float *__restrict__ queries, const float *__restrict__ points, float *__restrict__ out,
            int num_queries, int num_points) {
  __shared__ float4 tile[kTile];
  const int share = threadIdx.x % kShare;
  const int query = (blockIdx.x * kThreads + threadIdx.x) / kShare;
  const int from = min(query, num_queries - 1);  // all threads stay for the barriers
  const float x = queries[3 * from], y = queries[3 * from + 1], z = queries[3 * from + 2];
  float best[kBest];
#pragma unroll
  for (int k = 0; k < kBest; ++k) best[k] = 1e30f;
  for (int first = 0; first < num_points; first += kTile) {
    const int count = min(kTile, num_points - first);
    __syncthreads();
    for (int i = threadIdx.x; i < kTile; i += kThreads) {
      const float *p = points + 3 * (size_t)(first + i);
      tile[i] = i < count ? make_float4(p[0], p[1], p[2], 0) : make_float4(1e15f, 1e15f, 1e15f, 0);
    }
    __syncthreads();
    for (int part = 0; part < kTile; part += kPart) {
      // Each of the eight lanes knows a point this near, so nothing farther away is among the eight nearest.
      float bound = best[0];
#pragma unroll
      for (int step = 1; step < kShare; step *= 2) bound = fmaxf(bound, __shfl_xor_sync(~0u, bound, step));
#pragma unroll 4
      for (int i = 0; i < kPart; i += kShare) {
        const float4 p = tile[part + i + share];
        const float dx = p.x - x, dy = p.y - y, dz = p.z - z;
        float d = dx * dx + dy * dy + dz * dz;
        if (d < fminf(bound, best[kBest - 1])) {
          // Insertion without indexing: d goes down the sorted list, each place keeps the smaller one.
#pragma unroll
          for (int k = 0; k < kBest; ++k) {
            const float smaller = fminf(best[k], d);
            d = fmaxf(best[k], d);
            best[k] = smaller;
          }
        }
      }
      __syncwarp();
    }
  }
  float result = 0;
#pragma unroll
  for (int k = 0; k < kBest; ++k) {
    float smallest = best[0];
#pragma unroll
    for (int step = 1; step < kShare; step *= 2) smallest = fminf(smallest, __shfl_xor_sync(~0u, smallest, step));
    // One lane of the eight that have it takes it out.
    const unsigned owners = __ballot_sync(~0u, best[0] == smallest) >> (threadIdx.x % 32 / kShare * kShare) & 0xffu;
    if (__ffs(owners) - 1 == share) {
#pragma unroll
      for (int i = 0; i + 1 < kBest; ++i) best[i] = best[i + 1];
      best[kBest - 1] = 1e30f;
    }
    if (k == share) result = smallest;
  }
  if (query < num_queries) out[(size_t)query * kBest + share] = result;
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float *queries = *(const float **)arguments[0], *points = *(const float **)arguments[1];
  float *out = *(float **)arguments[2];
  const int num_queries = *(int *)arguments[3], num_points = *(int *)arguments[4];
  const int per_block = kThreads / kShare;
  nearest<<<(num_queries + per_block - 1) / per_block, kThreads, 0, stream>>>(queries, points, out, num_queries,
                                                                            num_points);
}
