// y = A x for a sparse matrix in compressed rows, a row for each thread.
__global__ void spmv(const int* starts, const int* places, const float* values, const float* x,
                     float* y, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  float sum = 0;
  const int end = starts[i + 1];
  for (int k = starts[i]; k < end; ++k) {
    const int j = places[k];
    if (j < columns) sum += values[k] * x[j];
  }
  y[i] = sum;
}
