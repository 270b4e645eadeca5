// Hand-written: a thread makes four neighbouring outputs in each of eight rows: two float4 loads and one of the element
// to the left per input row, one float4 store. The maxima of the row that two outputs share are kept.
#include <cuda_runtime.h>

namespace {
constexpr int kWidth = 112, kHeight = 112, kOutQuads = kWidth / 8;
constexpr int kRows = 8, kSegments = kHeight / 2 / kRows;
constexpr float kLowest = -1e30f;

__device__ __forceinline__ float max3(float a, float b, float c) { return fmaxf(fmaxf(a, b), c); }
__device__ __forceinline__ float4 max3(float4 a, float4 b, float4 c) {
  return make_float4(max3(a.x, b.x, c.x), max3(a.y, b.y, c.y), max3(a.z, b.z, c.z), max3(a.w, b.w, c.w));
}

// Maxima over three columns, of the four outputs that begin at input column 8 * quad.
__device__ __forceinline__ float4 row_maxima(const float *row, int quad) {
  const float4 *quads = reinterpret_cast<const float4 *>(row);
  const float4 a = __ldg(&quads[2 * quad]), b = __ldg(&quads[2 * quad + 1]);
  const float left = quad > 0 ? __ldg(&row[8 * quad - 1]) : kLowest;
  return make_float4(max3(left, a.x, a.y), max3(a.y, a.z, a.w), max3(a.w, b.x, b.y), max3(b.y, b.z, b.w));
}

__global__ void __launch_bounds__(256) pool(const float *__restrict__ x, float4 *__restrict__ out, int planes) {
  const int index = blockIdx.x * blockDim.x + threadIdx.x;
  const int quad = index % kOutQuads, segment = index / kOutQuads % kSegments, plane = index / kOutQuads / kSegments;
  if (plane >= planes) return;
  const int first = segment * kRows;  // output row
  const float *in = x + ((size_t)plane * kHeight + 2 * first) * kWidth;
  out += ((size_t)plane * (kHeight / 2) + first) * kOutQuads + quad;
  float4 above = make_float4(kLowest, kLowest, kLowest, kLowest);
  if (segment > 0) above = row_maxima(in - kWidth, quad);
#pragma unroll 4
  for (int i = 0; i < kRows; ++i) {
    const float4 middle = row_maxima(in + 2 * i * kWidth, quad), below = row_maxima(in + (2 * i + 1) * kWidth, quad);
    __stcs(&out[i * kOutQuads], max3(above, middle, below));
    above = below;
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float *x = *(const float **)arguments[0];
  float4 *out = *(float4 **)arguments[1];
  const int planes = *(int *)arguments[2];  // of 112 x 112
  pool<<<(planes * kSegments * kOutQuads + 255) / 256, 256, 0, stream>>>(x, out, planes);
}
