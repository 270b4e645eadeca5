// x += A y in double precision, a row for each thread.
__global__ void mvt(const double* a, const double* y, double* x, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  double sum = x[i];
  for (int j = 0; j < columns; ++j) sum += a[i * columns + j] * y[j];
  x[i] = sum;
}
