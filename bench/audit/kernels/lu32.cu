// LU panel in one block per small matrix 32x32, thread per row, dependent steps
extern "C" __global__ void lu32(float* a) {
  __shared__ float m[32][33];
  int t = threadIdx.x;
  float* p = a + blockIdx.x * 1024;
  for (int r = 0; r < 32; r++) m[r][t] = p[r * 32 + t];
  __syncthreads();
  for (int k = 0; k < 31; k++) {
    if (t > k) {
      float f = m[t][k] / (m[k][k] + 4.f);
      m[t][k] = f;
      for (int c = k + 1; c < 32; c++) m[t][c] -= f * m[k][c];
    }
    __syncthreads();
  }
  for (int r = 0; r < 32; r++) p[r * 32 + t] = m[r][t];
}
