// Hand-written: a thread computes 8 x 8 pixels, walking down the image with three rows in registers. Two pixels share a
// register (16 bits each), so that one instruction takes the minimum or maximum of two. Columns of three are sorted
// once and shared by the windows beside each other: the median of nine is the median of the largest minimum, the
// median of the medians and the smallest maximum.
#include <cuda_runtime.h>

namespace {
constexpr int kRows = 8;    // per thread
constexpr int kPairs = 5;   // columns -1 to 8 of a thread's eight

__device__ unsigned median(unsigned a, unsigned b, unsigned c) {
  return __vmaxu2(__vminu2(a, b), __vminu2(__vmaxu2(a, b), c));
}

// Columns x - 1 to x + 8 of a row, two per register.
__device__ void load(unsigned (&pairs)[kPairs], const unsigned char *__restrict__ in, int x, int y, int width,
                     int height) {
  const unsigned char *row = in + (size_t)min(max(y, 0), height - 1) * width;
  const uint2 eight = __ldg((const uint2 *)(row + x));
  const unsigned left = __ldg(row + max(x - 1, 0)), right = __ldg(row + min(x + 8, width - 1));
  pairs[0] = left | (eight.x & 0xff) << 16;
  pairs[1] = __byte_perm(eight.x, 0, 0x4241);
  pairs[2] = __byte_perm(eight.x, eight.y, 0x0403) & 0x00ff00ff;
  pairs[3] = __byte_perm(eight.y, 0, 0x4241);
  pairs[4] = eight.y >> 24 | right << 16;
}

__global__ void __launch_bounds__(128)
    filter(const unsigned char *__restrict__ in, unsigned char *__restrict__ out, int width, int height) {
  const int x = (blockIdx.x * blockDim.x + threadIdx.x) * 8, first = blockIdx.y * kRows;
  if (x >= width) return;
  unsigned rows[3][kPairs];
  load(rows[0], in, x, first - 1, width, height);
  load(rows[1], in, x, first, width, height);
#pragma unroll
  for (int j = 0; j < kRows; ++j) {
    const int y = first + j;
    if (y >= height) return;
    load(rows[(j + 2) % 3], in, x, y + 1, width, height);
    unsigned low[kPairs], middle[kPairs], high[kPairs];
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
      const unsigned a = rows[0][i], b = rows[1][i], c = rows[2][i];
      const unsigned smaller = __vminu2(a, b), larger = __vmaxu2(a, b), rest = __vmaxu2(smaller, c);
      low[i] = __vminu2(smaller, c);
      high[i] = __vmaxu2(larger, rest);
      middle[i] = __vminu2(larger, rest);
    }
    unsigned result[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {  // windows of pixels 2 i and 2 i + 1
      const auto between = [i](const unsigned(&p)[kPairs]) { return __byte_perm(p[i], p[i + 1], 0x5432); };
      const unsigned largest = __vmaxu2(__vmaxu2(low[i], between(low)), low[i + 1]);
      const unsigned medium = median(middle[i], between(middle), middle[i + 1]);
      const unsigned smallest = __vminu2(__vminu2(high[i], between(high)), high[i + 1]);
      result[i] = median(largest, medium, smallest);
    }
    const uint2 bytes = {__byte_perm(result[0], result[1], 0x6420), __byte_perm(result[2], result[3], 0x6420)};
    *(uint2 *)(out + (size_t)y * width + x) = bytes;
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const unsigned char *in = *(const unsigned char **)arguments[0];
  unsigned char *out = *(unsigned char **)arguments[1];
  const int width = *(int *)arguments[2], height = *(int *)arguments[3];
  const dim3 grid((width / 8 + 127) / 128, (height + kRows - 1) / kRows);
  filter<<<grid, 128, 0, stream>>>(in, out, width, height);
}
