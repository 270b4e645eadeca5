// Seven points in space; each thread goes through 16 planes.
__global__ void stencil(const float* before, float* after, int n) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
  for (int k = 0; k < 16; ++k) {
    const int z = blockIdx.z * 16 + k;
    if (z < 1 || z >= n - 1) continue;
    const int i = (z * n + y) * n + x;
    after[i] = 0.5f * before[i] + 0.083f * (before[i - 1] + before[i + 1] + before[i - n] + before[i + n] +
                                            before[i - n * n] + before[i + n * n]);
  }
}
