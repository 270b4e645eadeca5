// Squared distances between two sets of points in d dimensions, stored point by point.
__global__ void pairwise_distances(const float* a, const float* b, float* out, int m, int n,
                                   int d) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n) return;
  float sum = 0;
  for (int k = 0; k < d; ++k) {
    const float difference = a[i * d + k] - b[j * d + k];
    sum += difference * difference;
  }
  out[i * n + j] = sum;
}
