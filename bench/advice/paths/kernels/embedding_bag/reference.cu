// Hand-written: one warp per bag. The lanes load 32 indices at once and pass them on by shuffles; each half of the warp
// loads a row of 64 floats as 16 float4, four rows in flight per half.
#include <cuda_runtime.h>

namespace {
constexpr int kQuads = 16;  // of a row

__global__ void __launch_bounds__(256)
    mean_of_rows(const int *__restrict__ bag_start, const int *__restrict__ indices, const float4 *__restrict__ table,
                 float4 *__restrict__ out, int bags) {
  const int bag = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
  if (bag >= bags) return;
  const int half = lane / 16, quad = lane % 16;
  const int begin = bag_start[bag], end = bag_start[bag + 1];
  float4 sum = make_float4(0, 0, 0, 0);
  for (int base = begin; base < end; base += 32) {
    const int count = min(32, end - base);
    const int index = lane < count ? __ldcs(&indices[base + lane]) : 0;
#pragma unroll 1
    for (int j = 0; j < count; j += 8) {
      float4 rows[4];
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        const int which = j + 2 * u + half;
        const int row = __shfl_sync(~0u, index, which);
        rows[u] = which < count ? __ldg(&table[(size_t)row * kQuads + quad]) : make_float4(0, 0, 0, 0);
      }
#pragma unroll
      for (int u = 0; u < 4; ++u) {
        sum.x += rows[u].x, sum.y += rows[u].y, sum.z += rows[u].z, sum.w += rows[u].w;
      }
    }
  }
  sum.x += __shfl_xor_sync(~0u, sum.x, 16);
  sum.y += __shfl_xor_sync(~0u, sum.y, 16);
  sum.z += __shfl_xor_sync(~0u, sum.z, 16);
  sum.w += __shfl_xor_sync(~0u, sum.w, 16);
  if (half == 0) {
    const float scale = end > begin ? 1.0f / (end - begin) : 0.0f;
    __stcs(&out[(size_t)bag * kQuads + quad],
           make_float4(sum.x * scale, sum.y * scale, sum.z * scale, sum.w * scale));
  }
}
}  // namespace

// Rows of 64 floats.
extern "C" void launch(void **arguments, cudaStream_t stream) {
  const int *bag_start = *(const int **)arguments[0], *indices = *(const int **)arguments[1];
  const float4 *table = *(const float4 **)arguments[2];
  float4 *out = *(float4 **)arguments[3];
  const int bags = *(int *)arguments[4];
  mean_of_rows<<<(bags + 7) / 8, 256, 0, stream>>>(bag_start, indices, table, out, bags);
}
