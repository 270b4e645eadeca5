// Forwarding decisions of a router for a batch of packets: the longest matching prefix of each
// destination address is looked up in a trie with 256 entries per node, one byte per level. An
// entry below the number of nodes leads to a node of the next level, others are next hops.

struct Router {
  unsigned nodes;
  unsigned short fallback;  // next hop where the trie has none
  unsigned short levels;    // at most 4
};

__device__ __forceinline__ unsigned entry_of(const unsigned* __restrict__ trie, unsigned node,
                                             unsigned address, int level) {
  unsigned byte = address >> (24 - 8 * level) & 255u;
  return trie[node * 256u + byte];
}

// `depths` get the number of bits of the address that decided.
__global__ void lookup_routes(const unsigned* __restrict__ addresses,
                              const unsigned* __restrict__ trie, unsigned short* __restrict__ hops,
                              unsigned char* __restrict__ depths, int packets, Router router) {
  int packet = blockIdx.x * blockDim.x + threadIdx.x;
  if (packet >= packets) return;
  unsigned address = addresses[packet];
  int level = 0;
  unsigned entry = entry_of(trie, 0, address, 0);
  while (entry < router.nodes && level + 1 < router.levels) {
    ++level;
    entry = entry_of(trie, entry, address, level);
  }
  bool found = entry >= router.nodes;
  hops[packet] = found ? static_cast<unsigned short>(entry - router.nodes) : router.fallback;
  depths[packet] = static_cast<unsigned char>(8 * (level + 1));
}
