// Hand-written: a thread takes four columns (float4) and goes down eight rows, with the rows above and below in
// registers. The cells to the west and east come from the neighbouring lanes; only lanes 0 and 31 load one float more.
#include <cuda_runtime.h>

namespace {
constexpr int kRows = 8;

__device__ __forceinline__ float step(float here, float west, float east, float north, float south, float u, float v,
                                      float ratio) {
  const float dx = u > 0.0f ? here - west : east - here;
  const float dy = v > 0.0f ? here - north : south - here;
  return here - ratio * (u * dx + v * dy);
}

__global__ void __launch_bounds__(128)
    advect(const float4 *__restrict__ q, const float4 *__restrict__ u, const float4 *__restrict__ v,
           float4 *__restrict__ out, int quads, int height, float frame, float ratio) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const int first = blockIdx.y * kRows;
  const int width = quads * 4;
  // What lane 0 loads to the west, and lane 31 to the east.
  const int beyond = lane == 0 ? (x == 0 ? width - 1 : 4 * x - 1) : (x == quads - 1 ? 0 : 4 * x + 4);
  float4 north = __ldg(&q[(size_t)(first == 0 ? height - 1 : first - 1) * quads + x]);
  float4 here = __ldg(&q[(size_t)first * quads + x]);
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const int y = first + i;
    const size_t at = (size_t)y * quads + x;
    const float4 south = __ldg(&q[(size_t)(y + 1 == height ? 0 : y + 1) * quads + x]);
    float4 a = __ldcs(&u[at]), b = __ldcs(&v[at]);
    float outside = 0;
    if (lane == 0 || lane == 31) outside = __ldg(reinterpret_cast<const float *>(q) + (size_t)y * width + beyond);
    float west = __shfl_up_sync(~0u, here.w, 1), east = __shfl_down_sync(~0u, here.x, 1);
    if (lane == 0) west = outside;
    if (lane == 31) east = outside;
    float4 result;
    result.x = step(here.x, west, here.y, north.x, south.x, a.x - frame, b.x - frame, ratio);
    result.y = step(here.y, here.x, here.z, north.y, south.y, a.y - frame, b.y - frame, ratio);
    result.z = step(here.z, here.y, here.w, north.z, south.z, a.z - frame, b.z - frame, ratio);
    result.w = step(here.w, here.z, east, north.w, south.w, a.w - frame, b.w - frame, ratio);
    __stcs(&out[at], result);
    north = here;
    here = south;
  }
}
}  // namespace

// The width is a multiple of 512, the height of 8.
extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *q = *(const float4 **)arguments[0], *u = *(const float4 **)arguments[1],
               *v = *(const float4 **)arguments[2];
  float4 *out = *(float4 **)arguments[3];
  const int width = *(int *)arguments[4], height = *(int *)arguments[5];
  const float frame = *(float *)arguments[6], ratio = *(float *)arguments[7];
  advect<<<dim3(width / 512, height / kRows), 128, 0, stream>>>(q, u, v, out, width / 4, height, frame, ratio);
}
