// hash probe
extern "C" __global__ void probe(const unsigned* __restrict__ keys, const unsigned* __restrict__ table, int* __restrict__ found, int mask, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned k = keys[i];
  unsigned h = (k * 2654435761u) & mask;
  int steps = 0;
  while (steps < 8) {
    unsigned v = table[h];
    if (v == k || (v & 3u) == 0) break;
    h = (h + 1) & mask;
    steps++;
  }
  found[i] = steps;
}
