// Heads of 128 halves, as attention takes them: each is brought to unit root mean square, scaled by
// learned weights, and its pairs are turned by angles that grow with the token's place (RMSNorm and
// rotary embedding). A warp takes a head.

#include <cuda_fp16.h>

constexpr int kHead = 128;

template <typename T>
__device__ __forceinline__ T warp_sum(T value) {
#pragma unroll
  for (int away = 16; away > 0; away /= 2) value += __shfl_xor_sync(0xffffffffu, value, away);
  return value;
}

__global__ void rotate_heads(const __half2* __restrict__ heads, const float* __restrict__ weights,
                             const float2* __restrict__ turns, __half2* __restrict__ turned,
                             int tokens, int heads_each, float epsilon) {
  int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (warp >= tokens * heads_each) return;
  int token = warp / heads_each;
  const __half2* head = heads + static_cast<size_t>(warp) * (kHead / 2);
  float2 low = __half22float2(head[lane]);
  float2 high = __half22float2(head[lane + 32]);

  float squares = low.x * low.x + low.y * low.y + high.x * high.x + high.y * high.y;
  float scale = rsqrtf(warp_sum(squares) / kHead + epsilon);
  low.x *= scale * weights[2 * lane];
  low.y *= scale * weights[2 * lane + 1];
  high.x *= scale * weights[2 * lane + 64];
  high.y *= scale * weights[2 * lane + 65];

  float2 first = turns[static_cast<size_t>(token) * (kHead / 2) + 2 * lane];
  float2 second = turns[static_cast<size_t>(token) * (kHead / 2) + 2 * lane + 1];
  __half2* out = turned + static_cast<size_t>(warp) * (kHead / 2);
  out[lane] =
      __floats2half2_rn(low.x * first.x - high.x * first.y, low.y * second.x - high.y * second.y);
  out[lane + 32] =
      __floats2half2_rn(high.x * first.x + low.x * first.y, high.y * second.x + low.y * second.y);
}
