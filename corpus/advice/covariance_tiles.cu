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
  float sum = 0;

  for (int base = 0; base < samples; base += kTile) {
    float first = table[(base + ty) * variables + row + tx];
    float second = table[(base + ty) * variables + column + tx];
    left[ty][tx] = first - means[row + tx];
    right[ty][tx] = second - means[column + tx];
    __syncthreads();

#pragma unroll
    for (int k = 0; k < kTile; ++k) {
      sum += left[k][ty] * right[k][tx];
    }
    __syncthreads();
  }

  float count = static_cast<float>(samples);
  float scale = 1.0f;
  if (samples > 1) scale = 1.0f / (count - 1.0f);
  int place = (row + ty) * variables + column + tx;
  covariances[place] = sum * scale;
}
