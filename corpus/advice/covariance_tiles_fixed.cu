// The covariance of variables whose samples stand in the rows of a table, from their means: tiles
// of 32 variables squared go through shared memory.

constexpr int kTile = 32;

__global__ void covariance_tiles(const float* __restrict__ table, const float* __restrict__ means,
                                 float* __restrict__ covariances, int samples, int variables) {
  __shared__ float left[kTile][kTile];
  __shared__ float right[kTile][kTile + 1];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int column = blockIdx.x * kTile;
  int row = blockIdx.y * kTile;
  constexpr int kEach = 4, kStep = kTile / kEach;
  float sums[kEach] = {};

  for (int base = 0; base < samples; base += kTile) {
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      int y = ty + e * kStep;
      float first = table[(base + y) * variables + row + tx];
      float second = table[(base + y) * variables + column + tx];
      left[y][tx] = first - means[row + tx];
      right[y][tx] = second - means[column + tx];
    }
    __syncthreads();

#pragma unroll
    for (int k = 0; k < kTile; ++k) {
      float other = right[k][tx];
#pragma unroll
      for (int e = 0; e < kEach; ++e) sums[e] += left[k][ty + e * kStep] * other;
    }
    __syncthreads();
  }

  float count = static_cast<float>(samples);
  float scale = 1.0f;
  if (samples > 1) scale = 1.0f / (count - 1.0f);
#pragma unroll
  for (int e = 0; e < kEach; ++e) {
    int place = (row + ty + e * kStep) * variables + column + tx;
    covariances[place] = sums[e] * scale;
  }
}
