// Products of encrypted polynomials with a key, for computing on ciphertexts: a block brings one
// polynomial of 1024 coefficients into the number-theoretic domain, by ten stages of butterflies
// modulo a prime, and multiplies it there with the key's values, point by point.

constexpr int kLog = 10, kSize = 1 << kLog, kThreads = 256;

// Barrett's reduction: `inverse` is 2^64 divided by the modulus, rounded down.
__device__ __forceinline__ unsigned product(unsigned a, unsigned b, unsigned modulus,
                                            unsigned long long inverse) {
  unsigned long long full = static_cast<unsigned long long>(a) * b;
  unsigned quotient = static_cast<unsigned>(__umul64hi(full, inverse));
  unsigned rest = static_cast<unsigned>(full) - quotient * modulus;
  return rest >= modulus ? rest - modulus : rest;
}

__device__ __forceinline__ unsigned sum(unsigned a, unsigned b, unsigned modulus) {
  unsigned total = a + b;
  return total >= modulus ? total - modulus : total;
}

__device__ __forceinline__ unsigned difference(unsigned a, unsigned b, unsigned modulus) {
  return a >= b ? a - b : a + modulus - b;
}

// `roots` holds the powers of the primitive root in the order of use, from place 1 on. All
// coefficients are below the modulus, which has at most 31 bits.
__global__ void __launch_bounds__(kThreads)
    transform_residues(const unsigned* __restrict__ coefficients,
                       const unsigned* __restrict__ roots, const unsigned* __restrict__ key,
                       unsigned* __restrict__ products, unsigned modulus,
                       unsigned long long inverse) {
  __shared__ unsigned values[kSize];
  const unsigned* polynomial = coefficients + static_cast<size_t>(blockIdx.x) * kSize;
  for (int first = 0; first < kSize; first += kThreads) {
    values[first + threadIdx.x] = polynomial[first + threadIdx.x];
  }
  __syncthreads();
  for (int stage = 0; stage < kLog; ++stage) {
    int span = kLog - 1 - stage;
    for (int first = 0; first < kSize / 2; first += kThreads) {
      int k = first + threadIdx.x;
      int group = k >> span;
      int low = (group << (span + 1)) + (k & ((1 << span) - 1)), high = low + (1 << span);
      unsigned a = values[low];
      unsigned b = product(values[high], roots[(1 << stage) + group], modulus, inverse);
      values[low] = sum(a, b, modulus);
      values[high] = difference(a, b, modulus);
    }
    __syncthreads();
  }
  unsigned* row = products + static_cast<size_t>(blockIdx.x) * kSize;
  for (int first = 0; first < kSize; first += kThreads) {
    int k = first + threadIdx.x;
    row[k] = product(values[k], key[k], modulus, inverse);
  }
}
