// y = α A x + β B x, a row of both matrices for each thread.
__global__ void gesummv(const float* a, const float* b, const float* x, float* y, float alpha,
                        float beta, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  float of_a = 0, of_b = 0;
  for (int j = 0; j < columns; ++j) {
    of_a += a[i * columns + j] * x[j];
    of_b += b[i * columns + j] * x[j];
  }
  y[i] = alpha * of_a + beta * of_b;
}
