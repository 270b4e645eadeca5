// Cuts the bad ends off reads of a sequencer, as aligners do: from the last base on, what each
// quality lacks to the limit is added up, and the read is cut where the sum was greatest. Reads
// have 128 bases; a warp takes one, a lane four qualities of a byte each.

constexpr int kBases = 128, kEach = 4;

struct Trimmed {
  int length;
  int lacking;  // what was cut off lacked so much
};

// The sum over this lane and those above it.
__device__ __forceinline__ int sum_from_end(int value, int lane) {
#pragma unroll
  for (int away = 1; away < 32; away *= 2) {
    int above = __shfl_down_sync(~0u, value, away);
    if (lane + away < 32) value += above;
  }
  return value;
}

__global__ void trim_reads(const uchar4* __restrict__ qualities, Trimmed* __restrict__ trimmed,
                           int reads, int limit) {
  int read = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (read >= reads) return;
  uchar4 four = qualities[static_cast<size_t>(read) * (kBases / kEach) + lane];
  int lacks[kEach] = {limit - four.x % 42, limit - four.y % 42, limit - four.z % 42,
                      limit - four.w % 42};

  int running = sum_from_end(lacks[0] + lacks[1] + lacks[2] + lacks[3], lane);
  int best = 0, cut = kBases;
#pragma unroll
  for (int k = 0; k < kEach; ++k) {
    if (running > best) {
      best = running;
      cut = lane * kEach + k;
    }
    running -= lacks[k];
  }
  int greatest = __reduce_max_sync(~0u, best);
  int length = __reduce_min_sync(~0u, best == greatest ? cut : kBases);
  if (lane == 0) trimmed[read] = {length, greatest};
}
