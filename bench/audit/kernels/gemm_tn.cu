// C = A^T B, naive; A is K x M, B is K x N
extern "C" __global__ void gemm_tn(const float* A, const float* B, float* C, int M, int N, int K, float alpha, float beta) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= M || col >= N) return;
  float s = 0.0f;
  for (int k = 0; k < K; k++) s += A[k * M + row] * B[k * N + col];
  C[row * N + col] = alpha * s + beta * C[row * N + col];
}
