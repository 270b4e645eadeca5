// C = α A Aᵀ + β C: A is n × k.
__global__ void syrk(const float* a, float* c, float alpha, float beta, int n, int k) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j >= n) return;
  float sum = 0;
  for (int l = 0; l < k; ++l) sum += a[i * k + l] * a[j * k + l];
  c[i * n + j] = alpha * sum + beta * c[i * n + j];
}
