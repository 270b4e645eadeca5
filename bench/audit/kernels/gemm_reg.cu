// register-blocked product: 64x64 tile per block of 16x16 threads, 4x4 results
#define BK 8
extern "C" __global__ void gemm_reg(const float* A, const float* B, float* C, int n) {
  __shared__ float as[64][BK], bs[BK][64];
  int tx = threadIdx.x, ty = threadIdx.y;
  int lin = ty * 16 + tx;
  int r0 = blockIdx.y * 64, c0 = blockIdx.x * 64;
  float acc[4][4] = {};
  for (int k = 0; k < n; k += BK) {
    for (int i = lin; i < 64 * BK; i += 256) {
      as[i / BK][i % BK] = A[(r0 + i / BK) * n + k + i % BK];
      bs[i / 64][i % 64] = B[(k + i / 64) * n + c0 + i % 64];
    }
    __syncthreads();
    for (int j = 0; j < BK; j++) {
      float ar[4], br[4];
      for (int q = 0; q < 4; q++) { ar[q] = as[ty * 4 + q][j]; br[q] = bs[j][tx * 4 + q]; }
      for (int q = 0; q < 4; q++)
        for (int p = 0; p < 4; p++) acc[q][p] += ar[q] * br[p];
    }
    __syncthreads();
  }
  for (int q = 0; q < 4; q++)
    for (int p = 0; p < 4; p++) C[(r0 + ty * 4 + q) * n + c0 + tx * 4 + p] = acc[q][p];
}
