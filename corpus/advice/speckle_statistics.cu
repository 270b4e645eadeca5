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

__global__ void __launch_bounds__(kTile)
    speckle_statistics(const float* __restrict__ image, Statistics* __restrict__ found, int tiles,
                       float scale) {
  __shared__ float sums[kTile], squares[kTile];
  int t = threadIdx.x;
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    float value = __expf(image[static_cast<size_t>(tile) * kTile + t] * scale);
    sums[t] = value;
    squares[t] = value * value;
    __syncthreads();
    for (int half = kTile / 2; half > 0; half /= 2) {
      if (t < half) {
        sums[t] += sums[t + half];
        squares[t] += squares[t + half];
      }
      __syncthreads();
    }
    if (t == 0) found[tile] = statistics_of(sums[0], squares[0]);
    __syncthreads();
  }
}
