// The last product of (A B) (C D): G = E F. x counts the rows, so that neighbours in a warp are
// columns apart in memory.
__global__ void mm3(const float* e, const float* f, float* g, int m, int n, int k) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n) return;
  float sum = 0;
  for (int l = 0; l < k; ++l) sum += e[i * k + l] * f[l * n + j];
  g[i * n + j] = sum;
}
