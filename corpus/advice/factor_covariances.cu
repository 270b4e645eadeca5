// Cholesky factors of the covariance matrices of many local ensembles (as in ensemble data
// assimilation), of order 96, one matrix for each block. A ridge is added to the diagonal first;
// only the lower triangle of a matrix is read.

constexpr int kOrder = 96;
constexpr int kThreads = 256;
constexpr int kWarps = kThreads / 32;
constexpr int kRows = kOrder / kWarps;

__global__ void __launch_bounds__(kThreads)
    factor_covariances(const float* __restrict__ covariances, float* __restrict__ factors,
                       float ridge) {
  __shared__ float m[kOrder][kOrder + 1];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;

  const float* source = covariances + static_cast<size_t>(blockIdx.x) * kOrder * kOrder;
  for (int i = threadIdx.x; i < kOrder * kOrder; i += kThreads) {
    int row = i / kOrder, column = i % kOrder;
    m[row][column] = source[i] + (row == column ? ridge : 0.0f);
  }
  __syncthreads();

  for (int k = 0; k < kOrder - 1; ++k) {
    // The column below the diagonal.
    float inverse = rsqrtf(m[k][k]);
    if (threadIdx.x > k && threadIdx.x < kOrder) m[threadIdx.x][k] *= inverse;
    __syncthreads();

    // The triangle that remains.
    for (int r = 0; r < kRows; ++r) {
      int row = warp * kRows + r;
      if (row <= k) continue;
      float scale = m[row][k];
      for (int column = k + 1 + lane; column <= row; column += 32) {
        m[row][column] -= scale * m[column][k];
      }
    }
    __syncthreads();
  }

  float* target = factors + static_cast<size_t>(blockIdx.x) * kOrder * kOrder;
  for (int i = threadIdx.x; i < kOrder * kOrder; i += kThreads) {
    int row = i / kOrder, column = i % kOrder;
    float value = m[row][column];
    target[i] = column > row ? 0.0f : column == row ? sqrtf(value) : value;
  }
}
