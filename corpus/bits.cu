// Bits, bytes and packed integers.

// Every bit intrinsic: POPC, FLO, BREV, PRMT, funnel shifts, bit fields.
__global__ void bit_tricks(const unsigned* __restrict__ in, unsigned* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = in[i], y = in[(i + 1) % n];
  unsigned field, inserted;
  int signed_field;
  asm("bfe.u32 %0, %1, %2, %3;" : "=r"(field) : "r"(x), "r"(y & 31), "r"(y >> 8 & 31));
  asm("bfe.s32 %0, %1, %2, %3;" : "=r"(signed_field) : "r"(x), "r"(y >> 4 & 31), "r"(y >> 12 & 31));
  asm("bfi.b32 %0, %1, %2, %3, %4;"
      : "=r"(inserted)
      : "r"(x), "r"(y), "r"(x >> 3 & 31), "r"(x >> 9 & 15));
  unsigned* row = out + i * 12;
  row[0] = __popc(x);
  row[1] = __clz(x);
  row[2] = __ffs(static_cast<int>(x));
  row[3] = __brev(x);
  row[4] = __byte_perm(x, y, y & 0x7777);
  row[5] = __funnelshift_l(x, y, y);
  row[6] = __funnelshift_rc(x, y, x >> 2);
  row[7] = field;
  row[8] = signed_field;
  row[9] = inserted;
  row[10] = x << (y & 63) | x >> (y & 31);  // a shift by more than 31 gives 0 on this hardware
  row[11] = static_cast<unsigned>(static_cast<int>(x) >> (y & 31));
}

// The bit intrinsics of 64 bits, variable shifts and the upper halves of products.
__global__ void bit_tricks_64(const unsigned long long* __restrict__ in,
                              unsigned long long* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long x = in[i], y = in[n - 1 - i];
  unsigned long long* row = out + i * 8;
  row[0] = __popcll(x);
  row[1] = __clzll(static_cast<long long>(x));
  row[2] = __ffsll(static_cast<long long>(x));
  row[3] = __brevll(x);
  row[4] = x << (y & 63);
  row[5] = x >> (y & 63);
  row[6] = static_cast<unsigned long long>(static_cast<long long>(x) >> (y & 63));
  row[7] = __umul64hi(x, y) ^ static_cast<unsigned long long>(
                                  __mul64hi(static_cast<long long>(x), static_cast<long long>(y)));
}

// Four bytes or two halves at once: the packed intrinsics, most of which are sequences here.
__global__ void packed_bytes(const unsigned* __restrict__ a, const unsigned* __restrict__ b,
                             unsigned* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i], y = b[i];
  unsigned* row = out + i * 12;
  row[0] = __vadd4(x, y);
  row[1] = __vsub4(x, y);
  row[2] = __vaddus4(x, y);
  row[3] = __vmaxs4(x, y);
  row[4] = __vminu4(x, y);
  row[5] = __vcmpgtu4(x, y);
  row[6] = __vsadu4(x, y);
  row[7] = __vabsdiffu4(x, y);
  row[8] = __vadd2(x, y);
  row[9] = __vsubss2(x, y);
  row[10] = __vmaxu2(x, y);
  row[11] = __vavgu4(x, y);
}

// Dot products of bytes: dp4a signed and unsigned, dp2a.
__global__ void dot_bytes(const int* __restrict__ a, const int* __restrict__ b,
                          int* __restrict__ out, int length, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  int sum = 0;
  unsigned total = 0;
  for (int k = 0; k < length; ++k) {
    int x = a[k * rows + row], y = b[k];
    sum = __dp4a(x, y, sum);
    total = __dp4a(static_cast<unsigned>(x), static_cast<unsigned>(y), total);
    sum = __dp2a_lo(x, y, sum);
    sum = __dp2a_hi(y, x, sum);
  }
  out[2 * row] = sum;
  out[2 * row + 1] = static_cast<int>(total);
}

// Colour to grey: 3-byte pixels loaded byte by byte, 16-bit results stored.
__global__ void grey(const unsigned char* __restrict__ pixels, unsigned short* __restrict__ out,
                     int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int r = pixels[3 * i], g = pixels[3 * i + 1], b = pixels[3 * i + 2];
    out[i] = static_cast<unsigned short>(77 * r + 150 * g + 29 * b);
  }
}

// Sound in 16-bit samples mixed with saturation: short2 loads, sign extension, clamping.
__global__ void mix_samples(const short2* __restrict__ a, const short2* __restrict__ b,
                            short2* __restrict__ out, int gain, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int left = a[i].x + (b[i].x * gain >> 8), right = a[i].y + (b[i].y * gain >> 8);
    out[i] = make_short2(static_cast<short>(min(max(left, -32768), 32767)),
                         static_cast<short>(min(max(right, -32768), 32767)));
  }
}

// Structures of 11 bytes without alignment, copied in reverse order: byte-wise loads and stores.
struct __attribute__((packed)) Record {
  unsigned char kind;
  unsigned short code;
  int value;
  unsigned int stamp;
};

__global__ void reverse_records(const Record* __restrict__ in, Record* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Record r = in[n - 1 - i];
  r.value += r.kind;
  r.stamp ^= r.code;
  out[i] = r;
}

// Morton codes, and numbers from Gray codes: bit interleaving by masks and shifts.
__global__ void morton(const ushort2* __restrict__ points, uint2* __restrict__ codes, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned spread[2] = {points[i].x, points[i].y};
  for (int k = 0; k < 2; ++k) {
    unsigned v = spread[k];
    v = (v | v << 8) & 0x00ff00ff;
    v = (v | v << 4) & 0x0f0f0f0f;
    v = (v | v << 2) & 0x33333333;
    spread[k] = (v | v << 1) & 0x55555555;
  }
  unsigned code = spread[0] | spread[1] << 1;
  unsigned binary = code;
  for (int shift = 1; shift < 32; shift *= 2) binary ^= binary >> shift;
  codes[i] = make_uint2(code, binary);
}
