// A += α x yᵀ.
__global__ void ger(float* a, const float* x, const float* y, float alpha, int rows, int columns) {
  const int j = blockIdx.x * blockDim.x + threadIdx.x;
  const int i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= rows || j >= columns) return;
  a[i * columns + j] += alpha * x[i] * y[j];
}
