// C = α (A Bᵀ + B Aᵀ) + β C, of which only the lower triangle is computed: A and B are n × k.
__global__ void syr2k(const float* a, const float* b, float* c, float alpha, float beta, int n,
                      int k) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= n || j > i) return;
  float sum = 0;
  for (int l = 0; l < k; ++l) sum += a[i * k + l] * b[j * k + l] + b[i * k + l] * a[j * k + l];
  c[i * n + j] = alpha * sum + beta * c[i * n + j];
}
