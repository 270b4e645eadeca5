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

#pragma unroll 16
  for (int k = 0; k < depth; ++k) {
    float feature = features[row * depth + k];
    float weight = weights[k * columns + column];
    sum += feature * weight;
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
