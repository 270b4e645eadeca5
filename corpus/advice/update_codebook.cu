// Training of a codebook for vectors of four values: each vector finds the nearest of 51 code words
// and, unless it is near enough to it, is added to that code word's sums, which five words hold:
// how many vectors, and the sum of each value in 16 bits after the point.

constexpr int kCodes = 51;

__device__ __forceinline__ float squared_distance(float4 a, float4 b) {
  float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z, w = a.w - b.w;
  return x * x + y * y + z * z + w * w;
}

__device__ __forceinline__ int nearest(const float4* codes, float4 vector, float& distance) {
  int best = 0;
  distance = squared_distance(codes[0], vector);
  for (int k = 1; k < kCodes; ++k) {
    float other = squared_distance(codes[k], vector);
    if (other < distance) {
      distance = other;
      best = k;
    }
  }
  return best;
}

__device__ __forceinline__ unsigned fixed_point(float x) {
  return static_cast<unsigned>(x * 65536.0f);
}

__global__ void __launch_bounds__(256)
    update_codebook(const float4* __restrict__ vectors, const float4* __restrict__ codebook,
                    unsigned* __restrict__ sums, float* __restrict__ distances, int count,
                    float near) {
  __shared__ float4 codes[kCodes];
  for (int k = threadIdx.x; k < kCodes; k += blockDim.x) codes[k] = codebook[k];
  __syncthreads();
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    float4 vector = vectors[i];
    float distance;
    unsigned* sum = sums + 5 * nearest(codes, vector, distance);
    distances[i] = distance;
    if (distance < near) continue;
    atomicAdd(&sum[0], 1u);
    atomicAdd(&sum[1], fixed_point(vector.x));
    atomicAdd(&sum[2], fixed_point(vector.y));
    atomicAdd(&sum[3], fixed_point(vector.z));
    atomicAdd(&sum[4], fixed_point(vector.w));
  }
}
