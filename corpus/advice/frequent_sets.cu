// Market basket analysis: which pairs of items stand together in enough baskets to be worth
// looking at? For every item there is a bitmap with a bit for each basket. A warp has a candidate
// pair and counts the baskets that hold both, until there are enough.

struct Baskets {
  const unsigned* bitmaps;
  int words;  // of a bitmap

  __device__ __forceinline__ const unsigned* of(int item) const {
    return bitmaps + static_cast<size_t>(item) * words;
  }
};

__device__ __forceinline__ unsigned in_both(const unsigned* a, const unsigned* b, int word) {
  return __popc(a[word] & b[word]);
}

// The supports of the candidates, but no more than what is needed.
__global__ void __launch_bounds__(256)
    frequent_sets(const unsigned* __restrict__ bitmaps, const int2* __restrict__ candidates,
                  unsigned* __restrict__ supports, int count, int words, unsigned needed) {
  int lane = threadIdx.x % 32;
  int candidate = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (candidate >= count) return;
  int2 items = candidates[candidate];
  Baskets baskets{bitmaps, words};
  const unsigned *a = baskets.of(items.x), *b = baskets.of(items.y);

  unsigned support = 0;
  for (int word = lane; word < words; word += 32) {
    support += __reduce_add_sync(~0u, in_both(a, b, word));
    if (support >= needed) break;
  }
  if (lane == 0) supports[candidate] = min(support, needed);
}
