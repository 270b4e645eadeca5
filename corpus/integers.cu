// Integer arithmetic that the hardware has no single instruction for.

// Signed and unsigned 32-bit quotients and remainders by run-time divisors.
__global__ void divide_32(const int* __restrict__ a, const int* __restrict__ b,
                          int4* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x = a[i] - 0x40000000, y = (b[i] >> (i % 31)) - 3;
  if (y == 0) y = 7;
  unsigned ux = static_cast<unsigned>(x), uy = static_cast<unsigned>(y);
  out[i] = make_int4(x / y, x % y, static_cast<int>(ux / uy), static_cast<int>(ux % uy));
}

// Quotients and remainders in 64 bits: calls of the compiler's division routines, with their fast
// path for small operands.
__global__ void divide_64(const long long* __restrict__ a, const long long* __restrict__ b,
                          longlong2* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  long long x = a[i] >> (i % 40), y = b[i] >> (i % 61);
  if (y == 0) y = -9;
  unsigned long long ux = static_cast<unsigned long long>(x),
                     uy = static_cast<unsigned long long>(y);
  out[2 * i] = make_longlong2(x / y, x % y);
  out[2 * i + 1] = make_longlong2(static_cast<long long>(ux / uy), static_cast<long long>(ux % uy));
}

// Division by constants, which becomes multiplication by reciprocals (IMAD.HI, IMAD.WIDE): dates
// from day numbers.
__global__ void calendar(const int* __restrict__ days, int* __restrict__ date, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int z = days[i] + 719468;
    int era = (z >= 0 ? z : z - 146096) / 146097;
    int doe = z - era * 146097;
    int yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
    int doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    int mp = (5 * doy + 2) / 153;
    int day = doy - (153 * mp + 2) / 5 + 1;
    int month = mp < 10 ? mp + 3 : mp - 9;
    int year = yoe + era * 400 + (month <= 2);
    date[i] = year * 10000 + month * 100 + day;
  }
}

// a^e mod m in 64 bits: 128-bit products and the compiler's 128-bit remainder, a deep call; loops
// as long as the exponent.
__global__ void modular_power(const unsigned long long* __restrict__ base,
                              const unsigned* __restrict__ exponent,
                              unsigned long long* __restrict__ out, unsigned long long modulus,
                              int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned __int128 square = base[i] % modulus, result = 1;
  for (unsigned e = exponent[i]; e != 0; e >>= 1) {
    if (e & 1) result = result * square % modulus;
    square = square * square % modulus;
  }
  out[i] = static_cast<unsigned long long>(result);
}

// Products in Montgomery's form of 32-bit numbers: a chain of IMAD.WIDE with carries.
__global__ void montgomery(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                           unsigned modulus, unsigned inverse, int rounds, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i] % modulus, y = x;
  for (int r = 0; r < rounds; ++r) {
    unsigned long long t = static_cast<unsigned long long>(x) * y;
    unsigned q = static_cast<unsigned>(t) * inverse;
    unsigned long long u = static_cast<unsigned long long>(q) * modulus;
    bool carry = t + u < t;
    unsigned long long s = (t + u) >> 32;
    if (carry) s += 1ull << 32;
    y = static_cast<unsigned>(s >= modulus ? s - modulus : s);
  }
  out[i] = y;
}

// Products of big integers of `limbs` 32-bit limbs: a block per pair, a thread per result limb,
// with 96-bit sums, then one thread carries.
__global__ void big_multiply(const unsigned* __restrict__ a, const unsigned* __restrict__ b,
                             unsigned* __restrict__ out, int limbs) {
  extern __shared__ unsigned columns[];  // three words per result limb
  int count = 2 * limbs;
  const unsigned *x = a + blockIdx.x * limbs, *y = b + blockIdx.x * limbs;
  for (int k = threadIdx.x; k < count; k += blockDim.x) {
    unsigned low = 0, middle = 0, high = 0;
    for (int i = max(0, k - limbs + 1); i <= min(k, limbs - 1); ++i) {
      unsigned long long product = static_cast<unsigned long long>(x[i]) * y[k - i];
      asm("add.cc.u32 %0, %0, %3;\n\taddc.cc.u32 %1, %1, %4;\n\taddc.u32 %2, %2, 0;"
          : "+r"(low), "+r"(middle), "+r"(high)
          : "r"(static_cast<unsigned>(product)), "r"(static_cast<unsigned>(product >> 32)));
    }
    columns[3 * k] = low;
    columns[3 * k + 1] = middle;
    columns[3 * k + 2] = high;
  }
  __syncthreads();
  if (threadIdx.x != 0) return;
  unsigned __int128 carry = 0;
  for (int k = 0; k < count; ++k) {
    carry += columns[3 * k];
    carry += static_cast<unsigned __int128>(columns[3 * k + 1]) << 32;
    carry += static_cast<unsigned __int128>(columns[3 * k + 2]) << 64;
    out[blockIdx.x * count + k] = static_cast<unsigned>(carry);
    carry >>= 32;
  }
}

// The sieve of Eratosthenes: each block sieves a segment of 8192 numbers as bits in shared memory
// with atomicAnd, and counts what is left.
__global__ void sieve(unsigned* __restrict__ bits, int* __restrict__ count, int segments) {
  constexpr int kNumbers = 8192, kWords = kNumbers / 32;
  __shared__ unsigned segment[kWords];
  for (int s = blockIdx.x; s < segments; s += gridDim.x) {
    unsigned first = s * kNumbers, last = first + kNumbers - 1;
    for (int w = threadIdx.x; w < kWords; w += blockDim.x)
      segment[w] = s == 0 && w == 0 ? ~3u : ~0u;
    __syncthreads();
    for (unsigned p = 2 + threadIdx.x; p * p <= last; p += blockDim.x) {
      if (p > 2 && p % 2 == 0) continue;
      if (p > 3 && p % 3 == 0) continue;
      unsigned start = max(p * p, (first + p - 1) / p * p);
      for (unsigned m = start; m <= last; m += p) {
        atomicAnd(&segment[(m - first) / 32], ~(1u << (m - first) % 32));
      }
    }
    __syncthreads();
    int left = 0;
    for (int w = threadIdx.x; w < kWords; w += blockDim.x) {
      bits[s * kWords + w] = segment[w];
      left += __popc(segment[w]);
    }
    left = __reduce_add_sync(0xffffffff, left);
    if (threadIdx.x % 32 == 0) atomicAdd(count, left);
    __syncthreads();
  }
}

// Greatest common divisors by Stein's algorithm: shifts by the count of trailing zeros, divergent.
__global__ void gcd_binary(const unsigned* __restrict__ a, const unsigned* __restrict__ b,
                           unsigned* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i] | 1, y = b[i];
  while (y != 0) {
    y >>= __ffs(static_cast<int>(y)) - 1;
    if (x > y) {
      unsigned t = x;
      x = y;
      y = t;
    }
    y -= x;
  }
  out[i] = x;
}
