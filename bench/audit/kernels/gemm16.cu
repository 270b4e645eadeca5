// tiled matrix product 16x16, few blocks
extern "C" __global__ void gemm16(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
  __shared__ float as[16][16];
  __shared__ float bs[16][16];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float s = 0.f;
  for (int t = 0; t < k; t += 16) {
    as[ty][tx] = a[row * k + t + tx];
    bs[ty][tx] = b[(t + ty) * n + col];
    __syncthreads();
    for (int q = 0; q < 16; q++) s += as[ty][q] * bs[q][tx];
    __syncthreads();
  }
  c[row * n + col] = s;
}
