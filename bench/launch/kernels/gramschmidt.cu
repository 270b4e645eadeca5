// One step of Gram-Schmidt: the unit vector q is projected out of the columns after column k, a
// column for each thread.
__global__ void gramschmidt(const float* q, float* a, float* r, int rows, int columns, int k) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (j <= k || j >= columns) return;
  float product = 0;
  for (int i = 0; i < rows; ++i) product += q[i] * a[i * columns + j];
  r[j] = product;
  const float scaled = product / rows;
  for (int i = 0; i < rows; ++i) a[i * columns + j] -= q[i] * scaled;
}
