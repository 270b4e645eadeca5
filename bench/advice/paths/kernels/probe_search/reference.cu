// Hand-written, for 16 probes of 32 bases and a multiple of 4096 positions: votes turn 32 bases into two words, one per
// bit of the base, so a probe is compared with a position by two exclusive ors and a population count. A block packs
// its part of the sequence into shared memory; a thread keeps all probes in registers and writes four bytes at a time.
#include <cuda_runtime.h>

namespace {
constexpr int kThreads = 256, kProbes = 16, kPositions = 4096, kWords = kPositions / 32 + 1;

__device__ uint2 pack(unsigned base) {
  return make_uint2(__ballot_sync(~0u, base & 1), __ballot_sync(~0u, base & 2));
}

__global__ void __launch_bounds__(kThreads)
    search(const unsigned char *__restrict__ sequence, const unsigned char *__restrict__ probes,
           uchar4 *__restrict__ best) {
  __shared__ uint2 packed[kWords], packed_probes[kProbes];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const unsigned char *mine = sequence + (size_t)blockIdx.x * kPositions;
#pragma unroll 4
  for (int w = warp; w < kWords; w += kThreads / 32) {
    const uint2 words = pack(mine[w * 32 + lane]);
    if (lane == 0) packed[w] = words;
  }
  for (int i = warp; i < kProbes; i += kThreads / 32) {
    const uint2 words = pack(probes[i * 32 + lane]);
    if (lane == 0) packed_probes[i] = words;
  }
  __syncthreads();

  uint2 probe[kProbes];
#pragma unroll
  for (int i = 0; i < kProbes; ++i) probe[i] = packed_probes[i];
  for (int first = 0; first < kPositions; first += 4 * kThreads) {
    const int position = first + 4 * threadIdx.x;
    const uint2 a = packed[position / 32], b = packed[position / 32 + 1];
    int smallest[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int shift = position % 32 + k;  // at most 31
      const unsigned low = __funnelshift_r(a.x, b.x, shift), high = __funnelshift_r(a.y, b.y, shift);
      smallest[k] = 32;
#pragma unroll
      for (int i = 0; i < kProbes; ++i) {
        smallest[k] = min(smallest[k], __popc((low ^ probe[i].x) | (high ^ probe[i].y)));
      }
    }
    best[((size_t)blockIdx.x * kPositions + position) / 4] =
        make_uchar4(smallest[0], smallest[1], smallest[2], smallest[3]);
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const unsigned char *sequence = *(const unsigned char **)arguments[0];
  const unsigned char *probes = *(const unsigned char **)arguments[1];
  uchar4 *best = *(uchar4 **)arguments[2];
  const int positions = *(int *)arguments[3];
  search<<<positions / kPositions, kThreads, 0, stream>>>(sequence, probes, best);
}
