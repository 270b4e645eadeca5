// Hand-written. |p − c|² = |p|² − 2 p·c + |c|², of which |p|² is the same for all centroids: a centroid costs one
// multiply-add per dimension. Centroids (scaled by −2) and |c|² are in shared memory, two points per thread in
// registers, so that a value from shared memory is used twice.
#include <cuda_runtime.h>

#include <cfloat>
#include <cstdio>

namespace {
constexpr int kDims = 16;
constexpr int kMaxCentroids = 256;
constexpr int kThreads = 128;
constexpr int kPoints = 2;  // per thread

__global__ void __launch_bounds__(kThreads)
    assign(const float4 *__restrict__ points, const float *__restrict__ centroids, int *__restrict__ assignment,
           int n, int k) {
  __shared__ float4 scaled[kMaxCentroids][kDims / 4];
  __shared__ float squared[kMaxCentroids];
  for (int i = threadIdx.x; i < k * kDims; i += kThreads) {
    reinterpret_cast<float *>(scaled)[i] = -2.0f * centroids[i];
  }
  for (int c = threadIdx.x; c < k; c += kThreads) {
    float sum = 0;
    for (int d = 0; d < kDims; ++d) sum += centroids[c * kDims + d] * centroids[c * kDims + d];
    squared[c] = sum;
  }
  __syncthreads();
  float4 mine[kPoints][kDims / 4];
  float best[kPoints];
  int nearest[kPoints];
  const int first = blockIdx.x * kThreads * kPoints + threadIdx.x;
#pragma unroll
  for (int p = 0; p < kPoints; ++p) {
    const int i = first + p * kThreads;
    best[p] = FLT_MAX;
    nearest[p] = 0;
#pragma unroll
    for (int q = 0; q < kDims / 4; ++q) mine[p][q] = i < n ? points[(size_t)i * (kDims / 4) + q] : float4{};
  }
  for (int c = 0; c < k; ++c) {
    float distance[kPoints];
#pragma unroll
    for (int p = 0; p < kPoints; ++p) distance[p] = squared[c];
#pragma unroll
    for (int q = 0; q < kDims / 4; ++q) {
      const float4 centre = scaled[c][q];
#pragma unroll
      for (int p = 0; p < kPoints; ++p) {
        distance[p] += mine[p][q].x * centre.x;
        distance[p] += mine[p][q].y * centre.y;
        distance[p] += mine[p][q].z * centre.z;
        distance[p] += mine[p][q].w * centre.w;
      }
    }
#pragma unroll
    for (int p = 0; p < kPoints; ++p) {
      if (distance[p] < best[p]) best[p] = distance[p], nearest[p] = c;
    }
  }
#pragma unroll
  for (int p = 0; p < kPoints; ++p) {
    const int i = first + p * kThreads;
    if (i < n) assignment[i] = nearest[p];
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float4 *points = *(const float4 **)arguments[0];
  const float *centroids = *(const float **)arguments[1];
  int *assignment = *(int **)arguments[2];
  const int n = *(int *)arguments[3], k = *(int *)arguments[4], dims = *(int *)arguments[5];
  if (dims != kDims || k > kMaxCentroids) {
    std::fprintf(stderr, "written for %d dimensions and up to %d centroids\n", kDims, kMaxCentroids);
    return;
  }
  const int per_block = kThreads * kPoints;
  assign<<<(n + per_block - 1) / per_block, kThreads, 0, stream>>>(points, centroids, assignment, n, k);
}
