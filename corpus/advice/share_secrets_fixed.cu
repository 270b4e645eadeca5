// Shamir's secret sharing: each secret is the constant term of a polynomial over the numbers modulo
// a prime, whose other coefficients are random; each holder gets the polynomial's value at a place
// of their own. So many holders as there are coefficients can restore the secret, fewer cannot.
#include <cstdint>

constexpr int kThreshold = 6;

// value modulo prime by Barrett's reduction; inverse is 2⁶⁴ / prime, rounded down.
__device__ __forceinline__ uint64_t reduced(uint64_t value, uint64_t inverse, uint32_t prime) {
  uint32_t quotient = static_cast<uint32_t>(__umul64hi(value, inverse));
  uint32_t rest = static_cast<uint32_t>(value) - quotient * prime;
  return rest >= prime ? rest - prime : rest;
}

// Coefficients stand term by term, shares holder by holder. The prime has 31 bits.
__global__ void __launch_bounds__(256)
    share_secrets(const uint32_t* __restrict__ coefficients, const uint32_t* __restrict__ places,
                  uint32_t* __restrict__ shares, int secrets, int holders, uint32_t prime) {
  uint64_t inverse = ~uint64_t{0} / prime;
  int step = gridDim.x * blockDim.x;
  for (int secret = blockIdx.x * blockDim.x + threadIdx.x; secret < secrets; secret += step) {
    uint32_t terms[kThreshold];
#pragma unroll
    for (int k = 0; k < kThreshold; ++k) terms[k] = coefficients[k * secrets + secret];

    for (int holder = 0; holder < holders; ++holder) {
      uint64_t place = places[holder];
      uint64_t value = terms[kThreshold - 1];
#pragma unroll
      for (int k = kThreshold - 2; k >= 0; --k) {
        value = reduced(value * place + terms[k], inverse, prime);
      }
      shares[holder * secrets + secret] = static_cast<uint32_t>(value);
    }
  }
}
