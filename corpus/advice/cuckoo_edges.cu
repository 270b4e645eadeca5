// The first round of a search for cycles in a random graph, as proofs of work do it: each number
// names an edge, whose ends are hashes of it, and an edge stays if one of its ends was seen to have
// another edge. Counts the edges that stay. A thread takes every so-manieth number.
#include <cstdint>

struct Keys {
  uint64_t a, b, c, d;
};

__device__ __forceinline__ uint64_t rotated(uint64_t x, int by) {
  return (x << by) | (x >> (64 - by));
}

__device__ __forceinline__ void mix(Keys& v) {
  v.a += v.b;
  v.c += v.d;
  v.b = rotated(v.b, 13) ^ v.a;
  v.d = rotated(v.d, 16) ^ v.c;
  v.a = rotated(v.a, 32);
  v.c += v.b;
  v.a += v.d;
  v.b = rotated(v.b, 17) ^ v.c;
  v.d = rotated(v.d, 21) ^ v.a;
  v.c = rotated(v.c, 32);
}

// SipHash with two rounds for the word and four at the end.
__device__ __forceinline__ uint64_t hashed(Keys v, uint64_t word) {
  v.d ^= word;
  mix(v);
  mix(v);
  v.a ^= word;
  v.c ^= 0xff;
  mix(v);
  mix(v);
  mix(v);
  mix(v);
  return v.a ^ v.b ^ v.c ^ v.d;
}

__global__ void __launch_bounds__(512)
    cuckoo_edges(const uint32_t* __restrict__ seen, unsigned* __restrict__ counts, Keys keys,
                 uint64_t edges, uint32_t mask) {
  uint64_t stride = static_cast<uint64_t>(gridDim.x) * blockDim.x;
  unsigned stay = 0;
  for (uint64_t edge = static_cast<uint64_t>(blockIdx.x) * blockDim.x + threadIdx.x; edge < edges;
       edge += stride) {
    uint32_t left = hashed(keys, 2 * edge) & mask;
    uint32_t right = hashed(keys, 2 * edge + 1) & mask;
    bool kept = (seen[left >> 5] >> (left & 31) & 1) | (seen[right >> 5] >> (right & 31) & 1);
    stay += kept;
  }
  for (int away = 16; away > 0; away /= 2) stay += __shfl_down_sync(~0u, stay, away);
  if (threadIdx.x % 32 == 0) atomicAdd(counts, stay);
}
