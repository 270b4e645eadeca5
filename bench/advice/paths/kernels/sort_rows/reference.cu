// Hand-written: one warp sorts a row of 1024 keys in registers, 32 consecutive ones per lane. Bitonic: 40 of the 55
// stages stay inside a lane, 15 are shuffles. Lanes that have to sort downwards invert their keys instead. The result
// goes through padded shared memory to be stored coalesced.
#include <cuda_runtime.h>

namespace {
constexpr int kWarps = 4;

__device__ __forceinline__ void order(unsigned &low, unsigned &high) {
  const unsigned smaller = min(low, high), larger = max(low, high);
  low = smaller;
  high = larger;
}

__global__ void __launch_bounds__(kWarps * 32)
    sort_in_registers(const uint4 *__restrict__ in, unsigned *__restrict__ out, int rows) {
  __shared__ unsigned staging[kWarps][32 * 33];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, row = blockIdx.x * kWarps + warp;
  if (row >= rows) return;
  unsigned key[32];
#pragma unroll
  for (int j = 0; j < 8; ++j) {  // the order of the input does not matter
    const uint4 quad = __ldcs(&in[(size_t)row * 256 + j * 32 + lane]);
    key[4 * j] = quad.x, key[4 * j + 1] = quad.y, key[4 * j + 2] = quad.z, key[4 * j + 3] = quad.w;
  }

  // Inside the lane: sequences of 2 to 16, alternately upwards and downwards.
#pragma unroll
  for (int k = 2; k <= 16; k *= 2) {
#pragma unroll
    for (int j = k / 2; j > 0; j /= 2) {
#pragma unroll
      for (int r = 0; r < 32; ++r) {
        if ((r & j) == 0) {
          if ((r & k) == 0)
            order(key[r], key[r | j]);
          else
            order(key[r | j], key[r]);
        }
      }
    }
  }
  // Sequences of 32 · span; lanes with this bit sort downwards (none for span = 32).
#pragma unroll
  for (int span = 1; span <= 32; span *= 2) {
    const unsigned invert = lane & span ? ~0u : 0u;
#pragma unroll
    for (int r = 0; r < 32; ++r) key[r] ^= invert;
#pragma unroll
    for (int j = span / 2; j > 0; j /= 2) {
      const bool upper = lane & j;
#pragma unroll
      for (int r = 0; r < 32; ++r) {
        const unsigned other = __shfl_xor_sync(~0u, key[r], j);
        key[r] = upper ? max(key[r], other) : min(key[r], other);
      }
    }
#pragma unroll
    for (int j = 16; j > 0; j /= 2) {
#pragma unroll
      for (int r = 0; r < 32; ++r) {
        if ((r & j) == 0) order(key[r], key[r | j]);
      }
    }
#pragma unroll
    for (int r = 0; r < 32; ++r) key[r] ^= invert;
  }

#pragma unroll
  for (int r = 0; r < 32; ++r) staging[warp][lane * 33 + r] = key[r];
  __syncwarp();
#pragma unroll
  for (int r = 0; r < 32; ++r) __stcs(&out[(size_t)row * 1024 + r * 32 + lane], staging[warp][r * 33 + lane]);
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const uint4 *in = *(const uint4 **)arguments[0];
  unsigned *out = *(unsigned **)arguments[1];
  const int rows = *(int *)arguments[2];  // of 1024 keys
  sort_in_registers<<<(rows + kWarps - 1) / kWarps, kWarps * 32, 0, stream>>>(in, out, rows);
}
