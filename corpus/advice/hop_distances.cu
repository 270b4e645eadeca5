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

  for (int base = 0; base < side; base += kWide) {
#pragma unroll 8
    for (int k = 0; k < kWide; ++k) {
      float to = first[row * side + base + k];
      float from = second[(base + k) * side + column];
      best = shorter(best, {to + from, base + k});
    }
  }
  distances[row * side + column] = best.distance + tolls[best.stop];
  stops[row * side + column] = best.stop;
}
