// The second product of α A B C + β D, in double precision: D = T C + β D with T = α A B.
__global__ void mm2(const double* t, const double* c, double* d, double beta, int m, int n, int k) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= m || j >= n) return;
  double sum = beta * d[i * n + j];
  for (int l = 0; l < k; ++l) sum += t[i * k + l] * c[l * n + j];
  d[i * n + j] = sum;
}
