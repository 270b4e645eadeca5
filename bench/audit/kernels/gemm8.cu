// 128x128 tile, 8x8 results per thread, k steps of 8, scalar loads
extern "C" __global__ void __launch_bounds__(256) gemm8(const float* A, const float* B, float* C, int n) {
  __shared__ float as[8][128], bs[8][128];
  int t = threadIdx.x, tx = t % 16, ty = t / 16;
  float acc[8][8] = {};
  const float* a0 = A + (size_t)blockIdx.y * 128 * n;
  const float* b0 = B + blockIdx.x * 128;
  for (int k = 0; k < n; k += 8) {
    for (int i = t; i < 1024; i += 256) {
      as[i % 8][i / 8] = a0[(i / 8) * n + k + i % 8];
      bs[i / 128][i % 128] = b0[(k + i / 128) * n + i % 128];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 8; j++) {
      float ar[8], br[8];
#pragma unroll
      for (int q = 0; q < 8; q++) { ar[q] = as[j][ty + 16 * q]; br[q] = bs[j][tx + 16 * q]; }
#pragma unroll
      for (int q = 0; q < 8; q++)
#pragma unroll
        for (int p = 0; p < 8; p++) acc[q][p] += ar[q] * br[p];
    }
    __syncthreads();
  }
  for (int q = 0; q < 8; q++)
    for (int p = 0; p < 8; p++) C[(size_t)(blockIdx.y * 128 + ty + 16 * q) * n + blockIdx.x * 128 + tx + 16 * p] = acc[q][p];
}
