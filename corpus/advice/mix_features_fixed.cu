// A dense layer: rows of features times weights, a bias added, rectified with a small slope below
// zero. Blocks of 16×16.

constexpr int kTile = 16;

__global__ void mix_features(const float* __restrict__ features, const float* __restrict__ weights,
                             const float* __restrict__ bias, float* __restrict__ out, int rows,
                             int columns, int depth) {
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int column = blockIdx.x * kTile + tx;
  int row = blockIdx.y * kTile + ty;
  if (row >= rows || column >= columns) return;
  float sum = 0;

  __shared__ float left[kTile][kTile];
  __shared__ float right[kTile][kTile];
  for (int base = 0; base < depth; base += kTile) {
    left[ty][tx] = features[row * depth + base + tx];
    right[ty][tx] = weights[(base + ty) * columns + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kTile; ++k) sum += left[ty][k] * right[k][tx];
    __syncthreads();
  }

  sum += bias[column];
  float slope = 0.01f;
  if (sum < 0) {
    sum *= slope;
  }
  float most = 1024.0f;
  float least = -1024.0f;
  if (sum > most) {
    sum = most;
  }
  sum = fmaxf(sum, least);
  size_t place = static_cast<size_t>(row) * columns + column;
  out[place] = sum;
}
