// The strongest mode of vibration of many small structures: for the symmetric matrix of each, the
// largest eigenvalue and its vector by power iteration. A block takes structure after structure.

constexpr int kSize = 96;

// The sum over the block of three warps, in all its threads.
__device__ __forceinline__ float block_sum(float value, float* scratch) {
  for (int away = 16; away > 0; away /= 2) value += __shfl_xor_sync(~0u, value, away);
  if (threadIdx.x % 32 == 0) scratch[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = scratch[0] + scratch[1] + scratch[2];
  __syncthreads();
  return sum;
}

__global__ void __launch_bounds__(kSize)
    leading_modes(const float* __restrict__ matrices, float* __restrict__ values,
                  float* __restrict__ modes, int structures, int iterations) {
  __shared__ float vector[kSize], scratch[3];
  int t = threadIdx.x;
  for (int structure = blockIdx.x; structure < structures; structure += gridDim.x) {
    const float* matrix = matrices + static_cast<size_t>(structure) * kSize * kSize;
    float own = 1.0f, value = 0;

    for (int k = 0; k < iterations; ++k) {
      vector[t] = own;
      __syncthreads();
      float sums[4] = {};
#pragma unroll 4
      for (int column = 0; column < kSize; column += 4) {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          sums[j] += matrix[(column + j) * kSize + t] * vector[column + j];
        }
      }
      float product = (sums[0] + sums[1]) + (sums[2] + sums[3]);
      float squared = block_sum(product * product, scratch);
      value = sqrtf(squared);
      own = product * rsqrtf(squared);
    }
    modes[structure * kSize + t] = own;
    if (t == 0) values[structure] = value;
  }
}
