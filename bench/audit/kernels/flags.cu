// bloom-like filter flags: atomicOr into 200 words
extern "C" __global__ void flags(const unsigned* __restrict__ k, unsigned* f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned h = k[i] * 2654435761u;
  atomicOr(&f[(h >> 8) % 200u], 1u << (h & 31u));
}
