// Hand-written, for a radius of 4 and widths that are multiples of 4: the square is separable, so maxima of 9 along the
// rows (from global memory into shared), then of 9 along the columns. A thread works on words of four pixels, kept as
// two pairs of 16 bits because sm_90 has a maximum for these. Windows of 9 are made of windows of 2, 4 and 8.
#include <cuda_runtime.h>

namespace {
constexpr int kRadius = 4;
constexpr int kWords = 64, kRows = 64;         // of a block's tile
constexpr int kGroups = 4;                     // rows of threads
constexpr int kMine = kRows / kGroups;         // rows that a thread writes

struct Four {
  unsigned even, odd;  // bytes 0 and 2, bytes 1 and 3
};

__device__ Four larger(Four a, Four b) { return {__vmaxu2(a.even, b.even), __vmaxu2(a.odd, b.odd)}; }
__device__ Four unpack(unsigned word) { return {word & 0x00ff00ff, word >> 8 & 0x00ff00ff}; }

// The four pixels that start 1, 2 pixels after the first of `a`; `b` follows `a`.
__device__ Four after1(Four a, Four b) { return {a.odd, __funnelshift_r(a.even, b.even, 16)}; }
__device__ Four after2(Four a, Four b) {
  return {__funnelshift_r(a.even, b.even, 16), __funnelshift_r(a.odd, b.odd, 16)};
}

__global__ void __launch_bounds__(kWords *kGroups)
    dilate(const unsigned *__restrict__ in, unsigned *__restrict__ out, int words, int height) {
  __shared__ uint2 rows[kRows + 2 * kRadius][kWords];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int column = blockIdx.x * kWords + tx, top = blockIdx.y * kRows;

#pragma unroll 6
  for (int r = ty; r < kRows + 2 * kRadius; r += kGroups) {
    const int y = top + r - kRadius;
    unsigned left = 0, middle = 0, right = 0;
    if (y >= 0 && y < height && column < words) {
      const unsigned *row = in + (size_t)y * words;
      middle = __ldg(&row[column]);
      if (column > 0) left = __ldg(&row[column - 1]);
      if (column + 1 < words) right = __ldg(&row[column + 1]);
    }
    const Four a = unpack(left), b = unpack(middle), c = unpack(right);
    const Four a2 = larger(a, after1(a, b)), b2 = larger(b, after1(b, c));
    const Four c2 = larger(c, after1(c, c));  // its last pixel is not used
    const Four a4 = larger(a2, after2(a2, b2)), b4 = larger(b2, after2(b2, c2));
    const Four nine = larger(larger(a4, b4), c);
    rows[r][tx] = {nine.even, nine.odd};
  }
  __syncthreads();
  if (column >= words) return;

#pragma unroll
  for (int first = 0; first < kMine; first += 8) {
    const int base = ty * kMine + first;
    Four line[16], last[8];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      const uint2 pair = rows[base + i][tx];
      line[i] = {pair.x, pair.y};
      if (i >= 8) last[i - 8] = line[i];
    }
#pragma unroll
    for (int step = 1; step <= 4; step *= 2) {
#pragma unroll
      for (int i = 0; i + step < 16; ++i) line[i] = larger(line[i], line[i + step]);
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const Four nine = larger(line[i], last[i]);
      const int y = top + base + i;
      if (y < height) out[(size_t)y * words + column] = nine.even | nine.odd << 8;
    }
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const unsigned *in = *(const unsigned **)arguments[0];
  unsigned *out = *(unsigned **)arguments[1];
  const int words = *(int *)arguments[2] / 4, height = *(int *)arguments[3];
  const dim3 grid((words + kWords - 1) / kWords, (height + kRows - 1) / kRows);
  dilate<<<grid, dim3(kWords, kGroups), 0, stream>>>(in, out, words, height);
}
