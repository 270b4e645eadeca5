// The three parities of a stripe of disks, from which any three lost ones can be made again: the
// sum of all words, and the sums weighted by powers of 2 and of 4, in the field of 256 elements.
// Each word holds four bytes, each thread four words of every disk.

constexpr unsigned kPolynomial = 0x1d;  // x^8 + x^4 + x^3 + x^2 + 1

struct Parity {
  uint4 p, q, r;
};

// Twice each of four bytes: a byte that overflows is folded back by the polynomial.
__device__ __noinline__ unsigned doubled(unsigned word) {
  unsigned over = word >> 7 & 0x01010101u;
  return (word << 1 & 0xfefefefeu) ^ over * kPolynomial;
}

__device__ __forceinline__ uint4 doubled(uint4 words) {
  return {doubled(words.x), doubled(words.y), doubled(words.z), doubled(words.w)};
}

__device__ __forceinline__ uint4 operator^(uint4 a, uint4 b) {
  return {a.x ^ b.x, a.y ^ b.y, a.z ^ b.z, a.w ^ b.w};
}

// Disks lie one after the other, the parities behind each other in theirs.
__global__ void __launch_bounds__(256)
    raid_parity(const uint4* __restrict__ disks, uint4* __restrict__ parities, int count,
                size_t length) {
  size_t place = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (place >= length) return;
  Parity sums = {};
  for (int disk = count - 1; disk >= 0; --disk) {
    uint4 words = disks[disk * length + place];
    sums.p = sums.p ^ words;
    sums.q = doubled(sums.q) ^ words;
    sums.r = doubled(doubled(sums.r)) ^ words;
  }
  parities[place] = sums.p;
  parities[length + place] = sums.q;
  parities[2 * length + place] = sums.r;
}
