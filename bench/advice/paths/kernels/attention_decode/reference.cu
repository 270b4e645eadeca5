// Hand-written (flash decoding): the keys of a head are split into parts of 256, one block each, 32 keys per warp. Eight
// lanes share a key, so a warp reads four keys at once with float4 loads; each warp does its own softmax and weighted
// sum, the block merges its warps and a second kernel merges the parts.
#include <cuda_runtime.h>

namespace {
constexpr int kDim = 128, kWarps = 8, kPart = kWarps * 32;
constexpr int kMaxHeads = 128, kMaxParts = 8;

__device__ float part_sums[kMaxHeads * kMaxParts * kDim];
__device__ float2 part_scales[kMaxHeads * kMaxParts];  // largest score, total weight

__device__ float dot(float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }

__global__ void __launch_bounds__(kWarps * 32)
    attend(const float4 *__restrict__ q, const float4 *__restrict__ k, const float4 *__restrict__ v, int length,
           float scale) {
  __shared__ __align__(16) float sums[kWarps][kDim];
  __shared__ float maxima[kWarps], totals[kWarps];
  const int part = blockIdx.x, head = blockIdx.y, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const size_t first = ((size_t)head * length + part * kPart + warp * 32) * (kDim / 4);
  k += first, v += first, q += head * (kDim / 4);

  // Lane i gets the score of key i.
  const int group = lane / 8, in_group = lane % 8;
  float4 query[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) query[j] = q[j * 8 + in_group];
  float score = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const float4 *key = k + (i * 4 + group) * (kDim / 4) + in_group;
    float sum = 0;
#pragma unroll
    for (int j = 0; j < 4; ++j) sum += dot(query[j], __ldcs(&key[j * 8]));
    for (int step = 4; step > 0; step /= 2) sum += __shfl_xor_sync(~0u, sum, step);
    const float theirs = __shfl_sync(~0u, sum, lane % 4 * 8);
    if (lane / 4 == i) score = theirs * scale;
  }
  float largest = score;
  for (int step = 16; step > 0; step /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, step));
  const float weight = __expf(score - largest);
  float total = weight;
  for (int step = 16; step > 0; step /= 2) total += __shfl_xor_sync(~0u, total, step);

  float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll 8
  for (int i = 0; i < 32; ++i) {
    const float4 value = __ldcs(&v[i * (kDim / 4) + lane]);
    const float w = __shfl_sync(~0u, weight, i);
    sum.x += w * value.x, sum.y += w * value.y, sum.z += w * value.z, sum.w += w * value.w;
  }
  *(float4 *)&sums[warp][lane * 4] = sum;
  if (lane == 0) maxima[warp] = largest, totals[warp] = total;
  __syncthreads();

  if (threadIdx.x >= kDim) return;
  largest = maxima[0];
#pragma unroll
  for (int w = 1; w < kWarps; ++w) largest = fmaxf(largest, maxima[w]);
  float merged = 0;
  total = 0;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) {
    const float factor = __expf(maxima[w] - largest);
    merged += factor * sums[w][threadIdx.x];
    total += factor * totals[w];
  }
  const int slot = head * gridDim.x + part;
  part_sums[slot * kDim + threadIdx.x] = merged;
  if (threadIdx.x == 0) part_scales[slot] = make_float2(largest, total);
}

__global__ void __launch_bounds__(kDim) merge(float *__restrict__ out, int parts) {
  const int head = blockIdx.x, d = threadIdx.x;
  float largest = part_scales[head * parts].x;
  for (int p = 1; p < parts; ++p) largest = fmaxf(largest, part_scales[head * parts + p].x);
  float sum = 0, total = 0;
  for (int p = 0; p < parts; ++p) {
    const float2 scales = part_scales[head * parts + p];
    const float factor = __expf(scales.x - largest);
    sum += factor * part_sums[(head * parts + p) * kDim + d];
    total += factor * scales.y;
  }
  out[head * kDim + d] = sum / total;
}
}  // namespace

// 128 heads of 128 floats, up to 2048 keys, a multiple of 256.
extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *q = *(const float4 **)arguments[0], *k = *(const float4 **)arguments[1];
  const float4 *v = *(const float4 **)arguments[2];
  float *out = *(float **)arguments[3];
  const int length = *(int *)arguments[4], parts = length / kPart;
  attend<<<dim3(parts, kMaxHeads), kWarps * 32, 0, stream>>>(q, k, v, length, 0.08838834764831845f);
  merge<<<kMaxHeads, kDim, 0, stream>>>(out, parts);
}
