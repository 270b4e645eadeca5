// Sizes of polymers: each thread grows one chain as a random walk on a cubic lattice and notes the
// square of the distance between its ends and the farthest it came on the way. The random numbers
// are those of the generator WELL512, of 16 words of state.

constexpr int kWords = 16;

__device__ __forceinline__ unsigned mixed(unsigned x) {
  x = (x ^ (x >> 16)) * 0x7feb352du;
  x = (x ^ (x >> 15)) * 0x846ca68bu;
  return x ^ (x >> 16);
}

struct Well {
  unsigned words[kWords];
  int place;

  __device__ __forceinline__ explicit Well(unsigned seed) : place(0) {
    for (int k = 0; k < kWords; ++k) words[k] = mixed(seed + 0x9e3779b9u * (k + 1));
  }

  __device__ __forceinline__ unsigned next() {
    unsigned a = words[place], c = words[(place + 13) % kWords];
    unsigned b = a ^ c ^ a << 16 ^ c << 15;
    c = words[(place + 9) % kWords];
    c ^= c >> 11;
    a = words[place] = b ^ c;
    unsigned d = a ^ (a << 5 & 0xda442d24u);
    place = (place + 15) % kWords;
    a = words[place];
    return words[place] = a ^ b ^ d ^ a << 2 ^ b << 18 ^ c << 28;
  }
};

struct Chain {
  int x, y, z;
  int farthest;  // square of the distance from the start

  __device__ __forceinline__ void grow(unsigned random) {
    int direction = __umulhi(random, 6), sign = direction & 1 ? -1 : 1;
    x += direction < 2 ? sign : 0;
    y += direction >> 1 == 1 ? sign : 0;
    z += direction >= 4 ? sign : 0;
    farthest = max(farthest, x * x + y * y + z * z);
  }
};

// `length` is a multiple of 16.
__global__ void __launch_bounds__(128)
    grow_polymers(int* __restrict__ squares, int* __restrict__ farthest, int chains, int length,
                  unsigned seed) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= chains) return;
  Well well(mixed(seed ^ i));
  Chain chain = {0, 0, 0, 0};
  for (int k = 0; k < length; ++k) chain.grow(well.next());
  squares[i] = chain.x * chain.x + chain.y * chain.y + chain.z * chain.z;
  farthest[i] = chain.farthest;
}
