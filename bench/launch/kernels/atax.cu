// The second half of Aᵀ (A x): y = Aᵀ t, a column for each thread.
__global__ void atax(const float* a, const float* t, float* y, int rows, int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j >= columns) return;
  float sum = 0;
  for (int i = 0; i < rows; ++i) sum += a[i * columns + j] * t[i];
  y[j] = sum;
}
