// A matrix, stored row by row, times a vector: each thread reads a row of its own.
__global__ void matvec_rows(const float* matrix, const float* vector, float* result, int columns, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0;
  for (int column = 0; column < columns; ++column) {
    sum += matrix[(size_t)row * columns + column] * vector[column];
  }
  result[row] = sum;
}
