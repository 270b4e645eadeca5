// Kernels of machine learning.

#include <cuda_fp16.h>

constexpr unsigned kAll = 0xffffffff;

__device__ float warp_sum(float value) {
  for (int mask = 16; mask > 0; mask /= 2) value += __shfl_xor_sync(kAll, value, mask);
  return value;
}
__device__ float warp_max(float value) {
  for (int mask = 16; mask > 0; mask /= 2) value = fmaxf(value, __shfl_xor_sync(kAll, value, mask));
  return value;
}

// Softmax over rows, a warp per row: maximum, expf, sum, division.
__global__ void softmax(const float* __restrict__ in, float* __restrict__ out, int rows,
                        int columns) {
  int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= rows) return;
  const float* from = in + row * columns;
  float most = -1e30f, sum = 0;
  for (int j = lane; j < columns; j += 32) most = fmaxf(most, from[j]);
  most = warp_max(most);
  for (int j = lane; j < columns; j += 32) sum += expf(from[j] - most);
  sum = warp_sum(sum);
  for (int j = lane; j < columns; j += 32) out[row * columns + j] = expf(from[j] - most) / sum;
}

// Layer normalisation over rows, a block per row of halves: mean and variance by Welford's merging,
// rsqrtf.
__global__ void layer_norm(const __half* __restrict__ in, const float* __restrict__ gain,
                           float* __restrict__ out, int columns) {
  __shared__ float3 partial[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  const __half* from = in + blockIdx.x * columns;
  float count = 0, mean = 0, spread = 0;
  for (int j = threadIdx.x; j < columns; j += blockDim.x) {
    float value = __half2float(from[j]), apart = value - mean;
    count += 1;
    mean += apart / count;
    spread += apart * (value - mean);
  }
  auto merge = [&](float count2, float mean2, float spread2) {
    float all = count + count2, apart = mean2 - mean;
    float share = all > 0 ? count2 / all : 0.0f;
    mean += apart * share;
    spread += spread2 + apart * apart * count * share;
    count = all;
  };
  for (int mask = 16; mask > 0; mask /= 2) {
    float c = __shfl_xor_sync(kAll, count, mask), m = __shfl_xor_sync(kAll, mean, mask);
    float s = __shfl_xor_sync(kAll, spread, mask);
    merge(c, m, s);
  }
  if (lane == 0) partial[warp] = make_float3(count, mean, spread);
  __syncthreads();
  count = mean = spread = 0;
  for (int w = 0; w < warps; ++w) merge(partial[w].x, partial[w].y, partial[w].z);
  float scale = rsqrtf(spread / columns + 1e-5f);
  for (int j = threadIdx.x; j < columns; j += blockDim.x) {
    out[blockIdx.x * columns + j] = (__half2float(from[j]) - mean) * scale * gain[j] + 8.0f;
  }
}

// Attention for one head with a running softmax: a warp per query of 64 dimensions, keys and values
// streamed.
__global__ void attention(const float* __restrict__ query, const float* __restrict__ key,
                          const float* __restrict__ value, float* __restrict__ out, int queries,
                          int keys) {
  int lane = threadIdx.x % 32, q = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (q >= queries) return;
  float2 mine = reinterpret_cast<const float2*>(query)[q * 32 + lane];
  float2 sum = make_float2(0, 0);
  float most = -1e30f, total = 0;
  for (int k = 0; k < keys; ++k) {
    float2 other = reinterpret_cast<const float2*>(key)[k * 32 + lane];
    float score = warp_sum(mine.x * other.x + mine.y * other.y) * 0.125f;
    float now = fmaxf(most, score);
    float keep = __expf(most - now), weight = __expf(score - now);
    float2 v = reinterpret_cast<const float2*>(value)[k * 32 + lane];
    sum.x = sum.x * keep + weight * v.x;
    sum.y = sum.y * keep + weight * v.y;
    total = total * keep + weight;
    most = now;
  }
  reinterpret_cast<float2*>(out)[q * 32 + lane] = make_float2(sum.x / total, sum.y / total);
}

// The assignment step of k-means: the nearest of the centres (in shared memory), then sums per
// cluster in fixed point, so that the order of the atomics does not matter.
__global__ void kmeans_assign(const float* __restrict__ points, const float* __restrict__ centres,
                              int* __restrict__ cluster, unsigned long long* __restrict__ sums,
                              int clusters, int dimensions, int n) {
  extern __shared__ float centre[];
  for (int k = threadIdx.x; k < clusters * dimensions; k += blockDim.x) centre[k] = centres[k];
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float best = 1e30f;
    int nearest = 0;
    for (int c = 0; c < clusters; ++c) {
      float distance = 0;
      for (int d = 0; d < dimensions; ++d) {
        float apart = points[d * n + i] - centre[c * dimensions + d];
        distance += apart * apart;
      }
      if (distance < best) {
        best = distance;
        nearest = c;
      }
    }
    cluster[i] = nearest;
    for (int d = 0; d < dimensions; ++d) {
      atomicAdd(&sums[nearest * dimensions + d],
                static_cast<unsigned long long>(points[d * n + i] * 0x1p24f));
    }
  }
}

// A layer of a network on bytes: dp4a, a scale per channel, rectified and rounded back to bytes.
__global__ void dense_int8(const int* __restrict__ weights, const int* __restrict__ input,
                           const float* __restrict__ scale, signed char* __restrict__ out,
                           int words, int channels, int batch) {
  int channel = blockIdx.x * blockDim.x + threadIdx.x, item = blockIdx.y;
  if (channel >= channels || item >= batch) return;
  int sum = 0;
  for (int w = 0; w < words; ++w) {
    sum = __dp4a(weights[w * channels + channel], input[item * words + w], sum);
  }
  int rounded = __float2int_rn(fmaxf(sum * scale[channel] * 1e-3f, 0.0f));
  out[item * channels + channel] = static_cast<signed char>(min(rounded, 127));
}

// Adam's update: fused element-wise arithmetic with sqrtf and IEEE division over four arrays.
__global__ void adam(float* __restrict__ weight, const float* __restrict__ gradient,
                     float* __restrict__ first, float* __restrict__ second, float rate, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    float g = gradient[i] - 0.5f;
    float m = first[i] = 0.9f * first[i] + 0.1f * g;
    float v = second[i] = 0.999f * second[i] + 0.001f * g * g;
    weight[i] -= rate * m / (sqrtf(v) + 1e-8f);
  }
}

// The gradient of an embedding: rows added into a table at indices that collide, with float
// atomics.
__global__ void embedding_gradient(const int* __restrict__ index,
                                   const float* __restrict__ gradient, float* table, int dimensions,
                                   int n) {
  int i = blockIdx.x;
  if (i >= n) return;
  float* row = table + index[i] * dimensions;
  for (int d = threadIdx.x; d < dimensions; d += blockDim.x) {
    atomicAdd(&row[d], gradient[i * dimensions + d]);
  }
}
