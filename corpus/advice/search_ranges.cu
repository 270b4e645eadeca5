// Range queries on a B-tree of order 128, two searches per query side by side: one for the start
// of the range, one for its end. A block answers several queries in turn, a thread compares one key
// of a node. Keys are stored as offsets from evenly spaced bases, which keeps them sorted.
#include <climits>

constexpr int kOrder = 128;
constexpr int kGap = 1 << 20;  // between two bases

__device__ __forceinline__ int key_of(const int* __restrict__ offsets, int node, int slot) {
  return slot * kGap + offsets[node * kOrder + slot];
}

// Whether the search for `value` goes on below this thread's slot of the node.
__device__ __forceinline__ bool is_below(const int* __restrict__ offsets, int node, int value) {
  int slot = threadIdx.x;
  int key = slot == 0 ? INT_MIN : key_of(offsets, node, slot);
  int next = slot == kOrder - 1 ? INT_MAX : key_of(offsets, node, slot + 1);
  return key <= value && value < next;
}

__global__ void __launch_bounds__(kOrder)
    search_ranges(const int* __restrict__ offsets, const int* __restrict__ children,
                  const int* __restrict__ starts, const int* __restrict__ ends,
                  int2* __restrict__ found, int levels, int queries) {
  __shared__ int chosen[2];
  int slot = threadIdx.x;
  for (int query = blockIdx.x; query < queries; query += gridDim.x) {
    int start = starts[query], end = ends[query];
    int first = 0, last = 0;  // the nodes of both searches
    for (int level = 0; level < levels; ++level) {
      if (is_below(offsets, first, start)) chosen[0] = children[first * kOrder + slot];
      if (is_below(offsets, last, end)) chosen[1] = children[last * kOrder + slot];
      __syncthreads();
      first = chosen[0];
      last = chosen[1];
      __syncthreads();
    }
    if (slot == 0) found[query] = {first, last};
  }
}
