// A histogram of bytes, each counted with a weight, in shared memory first.

constexpr int kBins = 256;

__global__ void weighted_histogram(const unsigned* __restrict__ values,
                                   const unsigned* __restrict__ weights,
                                   unsigned long long* __restrict__ bins, int words) {
  __shared__ unsigned counts[2][kBins];
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) {
    counts[0][bin] = 0;
    counts[1][bin] = 0;
  }
  __syncthreads();

  int half = threadIdx.x / 32 % 2;
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < words; i += stride) {
    unsigned value = values[i];
    unsigned weight = weights[i];
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      unsigned bin = value >> 8 * k & 255;
      unsigned heavy = weight >> 8 * k & 255;
      atomicAdd(&counts[half][bin], heavy);
    }
  }
  __syncthreads();

  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) {
    unsigned long long sum = counts[0][bin];
    sum += counts[1][bin];
    if (sum != 0) atomicAdd(&bins[bin], sum);
  }
}
