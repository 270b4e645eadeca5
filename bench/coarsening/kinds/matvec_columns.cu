// A matrix, stored column by column, times a vector: neighbouring threads read neighbouring elements.
__global__ void matvec_columns(const float* matrix, const float* vector, float* result, int columns, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0;
  for (int column = 0; column < columns; ++column) {
    sum += matrix[(size_t)column * n + row] * vector[column];
  }
  result[row] = sum;
}
