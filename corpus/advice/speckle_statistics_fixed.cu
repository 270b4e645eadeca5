// Speckle statistics of an ultrasound image, for a diffusion filter: mean and squared coefficient
// of variation of each tile of 512 pixels. Pixels are stored as logarithms.

constexpr int kTile = 512;

struct Statistics {
  float mean, variation;
};

__device__ __forceinline__ Statistics statistics_of(float sum, float squares) {
  float mean = sum / kTile;
  float variance = squares / kTile - mean * mean;
  return {mean, variance / (mean * mean)};
}

__device__ __forceinline__ float sum_of_warp(float x) {
  for (int away = 16; away > 0; away /= 2) x += __shfl_down_sync(~0u, x, away);
  return x;
}

__global__ void __launch_bounds__(kTile)
    speckle_statistics(const float* __restrict__ image, Statistics* __restrict__ found, int tiles,
                       float scale) {
  __shared__ float sums[kTile / 32], squares[kTile / 32];
  int t = threadIdx.x;
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    float value = __expf(image[static_cast<size_t>(tile) * kTile + t] * scale);
    float sum = sum_of_warp(value), square = sum_of_warp(value * value);
    if (t % 32 == 0) {
      sums[t / 32] = sum;
      squares[t / 32] = square;
    }
    __syncthreads();
    if (t < 32) {
      sum = sum_of_warp(t < kTile / 32 ? sums[t] : 0.0f);
      square = sum_of_warp(t < kTile / 32 ? squares[t] : 0.0f);
      if (t == 0) found[tile] = statistics_of(sum, square);
    }
    __syncthreads();
  }
}
