// Hand-written, for 4096 nodes with 64 neighbours: a warp has four pairs, whose lists it loads at once (two neighbours
// per lane, coalesced). It marks the second node's neighbours in a bitmap of 512 bytes in shared memory and looks up
// the first node's; afterwards it takes its marks back.
#include <cuda_runtime.h>

namespace {
constexpr int kNodes = 4096, kDegree = 64, kWarps = 8, kPairs = 4;

__global__ void __launch_bounds__(32 * kWarps)
    count_common(const int2 *__restrict__ neighbours, const int *__restrict__ first,
                 const int *__restrict__ second, int *__restrict__ counts, int pairs) {
  __shared__ __align__(16) unsigned bitmaps[kWarps][kNodes / 32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned *bitmap = bitmaps[warp];
  const int start = (blockIdx.x * kWarps + warp) * kPairs;
  if (start >= pairs) return;

  int2 a[kPairs], b[kPairs];
#pragma unroll
  for (int k = 0; k < kPairs; ++k) {
    const int p = min(start + k, pairs - 1);
    a[k] = __ldg(&neighbours[__ldg(&first[p]) * (kDegree / 2) + lane]);
    b[k] = __ldg(&neighbours[__ldg(&second[p]) * (kDegree / 2) + lane]);
  }
#pragma unroll
  for (int i = 0; i < kNodes / 32; i += 32) bitmap[i + lane] = 0;
  __syncwarp();

  unsigned mine = 0;
#pragma unroll
  for (int k = 0; k < kPairs; ++k) {
    atomicOr(&bitmap[b[k].x / 32u], 1u << b[k].x % 32u);
    atomicOr(&bitmap[b[k].y / 32u], 1u << b[k].y % 32u);
    __syncwarp();
    const unsigned found = (bitmap[a[k].x / 32u] >> a[k].x % 32u & 1) + (bitmap[a[k].y / 32u] >> a[k].y % 32u & 1);
    const unsigned count = __reduce_add_sync(~0u, found);
    if (lane == k) mine = count;
    __syncwarp();
    bitmap[b[k].x / 32u] = 0;
    bitmap[b[k].y / 32u] = 0;
    __syncwarp();
  }
  if (lane < kPairs && start + lane < pairs) counts[start + lane] = mine;
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const int2 *neighbours = *(const int2 **)arguments[0];
  const int *first = *(const int **)arguments[1], *second = *(const int **)arguments[2];
  int *counts = *(int **)arguments[3];
  const int pairs = *(int *)arguments[4], blocks = (pairs + kWarps * kPairs - 1) / (kWarps * kPairs);
  count_common<<<blocks, 32 * kWarps, 0, stream>>>(neighbours, first, second, counts, pairs);
}
