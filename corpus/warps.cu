// Lanes of a warp talking to one another.

#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;

constexpr unsigned kAll = 0xffffffff;

// Shuffles in all modes, with widths, immediate and computed lanes, 32 and 64 bits.
__global__ void shuffles(const int* __restrict__ in, int* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int lane = threadIdx.x % 32, value = in[i % n];
  int* row = out + i * 8;
  row[0] = __shfl_sync(kAll, value, value % 32);
  row[1] = __shfl_up_sync(kAll, value, 3);
  row[2] = __shfl_down_sync(kAll, value, 5, 16);
  row[3] = __shfl_xor_sync(kAll, value, 0x15);
  row[4] = __shfl_sync(kAll, value, lane + 1, 8);
  row[5] = __shfl_up_sync(kAll, value, lane % 4, 8);
  long long wide = __shfl_xor_sync(kAll, static_cast<long long>(value) << 20, 16);
  row[6] = static_cast<int>(wide >> 8);
  row[7] = __float_as_int(__shfl_down_sync(kAll, static_cast<float>(value), value % 8));
}

// Votes and matches, of 32 and 64 bits, and the mask of active lanes in a branch.
__global__ void votes(const int* __restrict__ in, unsigned* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = in[i % n] % 5, lane = threadIdx.x % 32;
  unsigned* row = out + i * 8;
  row[0] = __ballot_sync(kAll, value > 2);
  row[1] = __any_sync(kAll, value == 4 && lane < 8);
  row[2] = __all_sync(kAll, value < 4);
  row[3] = __match_any_sync(kAll, value);
  int same = 0;
  row[4] = __match_all_sync(kAll, value / 5, &same);
  row[5] = static_cast<unsigned>(same);
  row[6] = 0;
  if (value != 3) {
    unsigned active = __activemask();
    // Who else is active here is up to the scheduler; every lane sees itself.
    row[6] = active >> lane & 1;
  }
  __syncwarp();
  row[7] = __popcll(__match_any_sync(kAll, static_cast<long long>(value) << 33));
}

// Only odd lanes take part: masks computed at run time, shuffles within the branch.
__global__ void odd_lanes(const float* __restrict__ in, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = in[i % n];
  unsigned odd = __ballot_sync(kAll, threadIdx.x % 2 == 1);
  if (threadIdx.x % 2 == 1) {
    for (int mask = 2; mask < 32; mask *= 2) value += __shfl_xor_sync(odd, value, mask);
  } else {
    value = -value;
  }
  __syncwarp();
  out[i] = value + __shfl_xor_sync(kAll, value, 1);
}

// Cooperative groups: tiles of 8 reduce, vote and shuffle, the tile's leader writes.
__global__ void tiles(const int* __restrict__ in, int* __restrict__ out, int n) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<8>(block);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : 0;
  int sum = cg::reduce(tile, value, cg::plus<int>());
  int most = cg::reduce(tile, value, cg::greater<int>());
  bool any = tile.any(value > 900);
  int first = tile.shfl(value, 0);
  if (tile.thread_rank() == 0) {
    out[i / 8] = sum + (any ? most : -most) + first * static_cast<int>(tile.meta_group_rank());
  }
}

// Cooperative groups: lanes that branched the same way form a group and aggregate their atomics.
__global__ void aggregated_count(const int* __restrict__ in, int* __restrict__ counts, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int value = in[i];
  if (value % 3 == 0) {
    cg::coalesced_group group = cg::coalesced_threads();
    if (group.thread_rank() == 0) atomicAdd(&counts[0], static_cast<int>(group.size()));
  }
  auto same = cg::labeled_partition(cg::coalesced_threads(), value % 7);
  if (same.thread_rank() == 0) atomicAdd(&counts[1 + value % 7], static_cast<int>(same.size()));
}

// A 32×32 transpose in registers with shuffles alone: 5 rounds of exchanges, selects by lane.
__global__ void transpose_lanes(const int* __restrict__ in, int* __restrict__ out) {
  int lane = threadIdx.x % 32;
  int base = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 1024;
  int v[32];
#pragma unroll
  for (int k = 0; k < 32; ++k) v[k] = in[base + k * 32 + lane];
#pragma unroll
  for (int mask = 16; mask > 0; mask /= 2) {
#pragma unroll
    for (int k = 0; k < 32; ++k) {
      if (k & mask) continue;
      bool upper = lane & mask;
      int give = upper ? v[k] : v[k | mask];
      int got = __shfl_xor_sync(kAll, give, mask);
      if (upper) {
        v[k] = got;
      } else {
        v[k | mask] = got;
      }
    }
  }
#pragma unroll
  for (int k = 0; k < 32; ++k) out[base + k * 32 + lane] = v[k];
}

// Bitonic sort of 32 keys per warp with shuffles and min/max.
__global__ void sort_lanes(int* __restrict__ keys, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  int key = i < n ? keys[i] : 0x7fffffff;
  for (int size = 2; size <= 32; size *= 2) {
    for (int mask = size / 2; mask > 0; mask /= 2) {
      int other = __shfl_xor_sync(kAll, key, mask);
      bool low = ((lane & mask) == 0) == ((lane & size) == 0);
      key = low ? min(key, other) : max(key, other);
    }
  }
  if (i < n) keys[i] = key;
}
