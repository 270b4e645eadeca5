// What it costs to move one histogram to another (Sinkhorn's method): rows and columns of a plan
// are scaled in turn until its sums are those of both. The plan's weights are given for each pair
// of histograms, the same both ways. A block takes pair after pair, a bin a thread.

constexpr int kBins = 128;

struct Pair {
  float from[kBins], to[kBins];
};

// The product of a symmetric matrix and a vector that the block holds: this thread's entry of it.
__device__ __forceinline__ float product(const float* matrix, const float* vector) {
  float sums[4] = {};
#pragma unroll 4
  for (int row = 0; row < kBins; row += 4) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      sums[j] += matrix[(row + j) * kBins + threadIdx.x] * vector[row + j];
    }
  }
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

__global__ void __launch_bounds__(kBins)
    transport_costs(const float* __restrict__ weights, const Pair* __restrict__ pairs,
                    float* __restrict__ scales, int count, int rounds) {
  __shared__ float left[kBins], right[kBins];
  int bin = threadIdx.x;
  for (int pair = blockIdx.x; pair < count; pair += gridDim.x) {
    const float* matrix = weights + static_cast<size_t>(pair) * kBins * kBins;
    float from = pairs[pair].from[bin], to = pairs[pair].to[bin];
    right[bin] = 1.0f;
    __syncthreads();
    for (int round = 0; round < rounds; ++round) {
      left[bin] = __fdividef(from, product(matrix, right) + 1e-6f);
      __syncthreads();
      right[bin] = __fdividef(to, product(matrix, left) + 1e-6f);
      __syncthreads();
    }
    scales[(2 * pair) * kBins + bin] = left[bin];
    scales[(2 * pair + 1) * kBins + bin] = right[bin];
  }
}
