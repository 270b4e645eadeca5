// C = α A B + β C: A is m × k, B is k × n.
__global__ void gemm(const float* a, const float* b, float* c, float alpha, float beta, int m,
                     int n, int k) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n) return;
  float sum = 0;
  for (int l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
  c[i * n + j] = alpha * sum + beta * c[i * n + j];
}
