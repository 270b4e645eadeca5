// Shortest ways through a network by way of one more stop: the product of two tables of distances
// in which sums take the place of products and the least that of the sum. Kept is the stop, too.

constexpr int kWide = 32, kHigh = 8;

struct Way {
  float distance;
  int stop;
};

__device__ __forceinline__ Way shorter(Way a, Way b) {
  return b.distance < a.distance ? b : a;
}

// Blocks of 32×8 threads; the tables are square, of a side that is a multiple of 32.
__global__ void __launch_bounds__(kWide* kHigh)
    hop_distances(const float* __restrict__ first, const float* __restrict__ second,
                  const float* __restrict__ tolls, float* __restrict__ distances,
                  int* __restrict__ stops, int side) {
  int column = blockIdx.x * kWide + threadIdx.x;
  int row = blockIdx.y * kHigh + threadIdx.y;
  Way best = {1e30f, -1};
  __shared__ float left[kHigh][kWide], right[kWide][kWide];

  for (int base = 0; base < side; base += kWide) {
    left[threadIdx.y][threadIdx.x] = first[row * side + base + threadIdx.x];
    for (int k = threadIdx.y; k < kWide; k += kHigh) {
      right[k][threadIdx.x] = second[(base + k) * side + column];
    }
    __syncthreads();
#pragma unroll 8
    for (int k = 0; k < kWide; ++k) {
      float to = left[threadIdx.y][k];
      float from = right[k][threadIdx.x];
      best = shorter(best, {to + from, base + k});
    }
    __syncthreads();
  }
  distances[row * side + column] = best.distance + tolls[best.stop];
  stops[row * side + column] = best.stop;
}
