// Hand-written: 16 lanes per pair, each with 8 columns of the table in registers. A lane is one row behind the lane to
// its left, from which it gets the value beside its first column by a shuffle. Additions and maxima are fused (DPX).
#include <cuda_runtime.h>

namespace {
constexpr int kLength = 128, kColumns = 8, kLanes = kLength / kColumns;
constexpr int kThreads = 128, kPairs = kThreads / kLanes;  // of a block

__global__ void __launch_bounds__(kThreads)
    align(const unsigned char *__restrict__ first, const unsigned char *__restrict__ second, int *__restrict__ score,
          int pairs, int match, int mismatch, int gap) {
  // The first sequences. Lanes which have not begun or have ended read the kLanes bytes before and after: these match
  // nothing, so zeros remain zeros and no value rises (mismatches and gaps cost something).
  __shared__ alignas(16) unsigned char rows[kPairs][kLanes + kLength + kLanes];
  const int group = threadIdx.x / kLanes, lane = threadIdx.x % kLanes;
  const int pair = min((int)blockIdx.x * kPairs + group, pairs - 1);
  const uint2 mine = *(const uint2 *)(first + (size_t)pair * kLength + lane * 8);
  *(uint2 *)&rows[group][kLanes + lane * 8] = {mine.x & 0x03030303, mine.y & 0x03030303};
  rows[group][lane] = rows[group][kLanes + kLength + lane] = 255;
  const uint2 bases = *(const uint2 *)(second + (size_t)pair * kLength + lane * 8);
  int column[kColumns], above[kColumns];
#pragma unroll
  for (int k = 0; k < kColumns; ++k) {
    column[k] = (k < 4 ? bases.x : bases.y) >> k % 4 * 8 & 3;
    above[k] = 0;
  }
  __syncwarp();

  int best = 0, corner = 0;  // corner: beside the first column, one row higher
  const unsigned char *row = &rows[group][kLanes] - lane;
#pragma unroll 4
  for (int step = 0; step < kLength + kLanes - 1; ++step) {
    const int base = row[step];
    int left = __shfl_up_sync(~0u, above[kColumns - 1], 1, kLanes);
    if (lane == 0) left = 0;
    int diagonal = corner;
    corner = left;
#pragma unroll
    for (int k = 0; k < kColumns; ++k) {
      const int change = base == column[k] ? match : mismatch;
      left = __viaddmax_s32_relu(diagonal, change, max(left, above[k]) - gap);
      diagonal = above[k];
      above[k] = left;
      best = max(best, left);
    }
  }
#pragma unroll
  for (int mask = kLanes / 2; mask > 0; mask /= 2) best = max(best, __shfl_xor_sync(~0u, best, mask));
  if (lane == 0) score[pair] = best;
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const unsigned char *first = *(const unsigned char **)arguments[0], *second = *(const unsigned char **)arguments[1];
  int *score = *(int **)arguments[2];
  const int pairs = *(int *)arguments[3];
  align<<<(pairs + kPairs - 1) / kPairs, kThreads, 0, stream>>>(first, second, score, pairs, *(int *)arguments[4],
                                                                *(int *)arguments[5], *(int *)arguments[6]);
}
