// q = A p and s = Aᵀ r in one launch: thread i sums row i for q and column i for s.
__global__ void bicg(const float* a, const float* p, const float* r, float* q, float* s, int rows,
                     int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < rows) {
    float sum = 0;
    for (int j = 0; j < columns; ++j) sum += a[i * columns + j] * p[j];
    q[i] = sum;
  }
  if (i < columns) {
    float sum = 0;
    for (int j = 0; j < rows; ++j) sum += a[j * columns + i] * r[j];
    s[i] = sum;
  }
}
