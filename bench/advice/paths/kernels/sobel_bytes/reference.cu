// Hand-written: a thread goes down 16 rows with four pixels (one word) in each and keeps the differences and weighted
// sums of three rows in registers. Two pixels are computed at a time in the halves of a 32-bit integer; integers become
// floats and back without conversion instructions. The words beside a thread's come from its neighbours in the warp.
#include <cuda_runtime.h>

#include <cstdint>

namespace {
constexpr int kRows = 16;

struct Row {  // of even and odd pixels; differences have 256 added
  uint32_t even_difference, odd_difference, even_sum, odd_sum;
};

// Four pixels and their neighbours.
__device__ __forceinline__ Row read_row(const uint32_t *in, int words, int x, int y) {
  const int lane = threadIdx.x % 32;
  const uint32_t *row = in + (size_t)y * words;
  const uint32_t word = x < words ? __ldg(&row[x]) : 0;
  uint32_t left = __shfl_up_sync(~0u, word, 1), right = __shfl_down_sync(~0u, word, 1);
  if (lane == 0 && x > 0 && x < words) left = __ldg(&row[x - 1]);
  if (lane == 31 && x + 1 < words) right = __ldg(&row[x + 1]);
  const uint32_t even = word & 0x00ff00ffu, odd = (word >> 8) & 0x00ff00ffu;     // (p0, p2), (p1, p3)
  const uint32_t before = odd << 16 | left >> 24;                                // (p-1, p1)
  const uint32_t after = even >> 16 | (right & 0xffu) << 16;                     // (p2, p4)
  return {odd + 0x01000100u - before, after + 0x01000100u - even, before + 2 * even + odd, even + 2 * odd + after};
}

// gx and gy with 1024 added, each below 2^16.
__device__ __forceinline__ uint32_t magnitude(uint32_t gx, uint32_t gy) {
  const float x = __uint_as_float(0x4b000000u | gx) - (8388608.0f + 1024.0f);
  const float y = __uint_as_float(0x4b000000u | gy) - (8388608.0f + 1024.0f);
  float root;
  asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x * x + y * y));
  return __float_as_uint(__fadd_rz(fminf(root, 255.0f), 8388608.0f)) & 0xffu;
}

__global__ void __launch_bounds__(256)
    edges(const uint32_t *__restrict__ in, uint32_t *__restrict__ out, int words, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, first = blockIdx.y * kRows;
  uint32_t keep = ~0u;  // black at the left and right border
  if (x == 0) keep &= 0xffffff00u;
  if (x == words - 1) keep &= 0x00ffffffu;
  Row above = read_row(in, words, x, max(first - 1, 0)), here = read_row(in, words, x, first);
#pragma unroll 4
  for (int i = 0; i < kRows; ++i) {
    const int y = first + i;
    if (y >= height) return;
    const Row below = read_row(in, words, x, min(y + 1, height - 1));
    const uint32_t even_x = above.even_difference + 2 * here.even_difference + below.even_difference;
    const uint32_t odd_x = above.odd_difference + 2 * here.odd_difference + below.odd_difference;
    const uint32_t even_y = below.even_sum + 0x04000400u - above.even_sum;
    const uint32_t odd_y = below.odd_sum + 0x04000400u - above.odd_sum;
    const uint32_t p0 = magnitude(even_x & 0xffffu, even_y & 0xffffu), p2 = magnitude(even_x >> 16, even_y >> 16);
    const uint32_t p1 = magnitude(odd_x & 0xffffu, odd_y & 0xffffu), p3 = magnitude(odd_x >> 16, odd_y >> 16);
    const uint32_t result = (p0 | p1 << 8 | p2 << 16 | p3 << 24) & keep;
    if (x < words) __stcs(&out[(size_t)y * words + x], y == 0 || y == height - 1 ? 0 : result);
    above = here;
    here = below;
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const uint32_t *in = *(const uint32_t **)arguments[0];
  uint32_t *out = *(uint32_t **)arguments[1];
  const int width = *(int *)arguments[2], height = *(int *)arguments[3];  // width: a multiple of 4
  const int words = width / 4;
  edges<<<dim3((words + 255) / 256, (height + kRows - 1) / kRows), 256, 0, stream>>>(in, out, words, height);
}
