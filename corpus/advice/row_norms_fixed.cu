// The norm of a matrix's rows after a shift, and their product with a vector.

__global__ void row_norms(const float* __restrict__ matrix, const float* __restrict__ vector,
                          float* __restrict__ norms, float* __restrict__ products, int rows,
                          int columns) {
  int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  int lane = threadIdx.x % 32;
  if (row >= rows) return;

  float squares = 0;
  float product = 0;
  float least = 1e30f;
  float greatest = -1e30f;
  for (int column = lane; column < columns; column += 32) {
    float value = matrix[static_cast<size_t>(row) * columns + column];
    squares += value * value;
    product += value * vector[column];
    least = fminf(least, value);
    greatest = fmaxf(greatest, value);
  }

  for (int step = 16; step > 0; step /= 2) {
    squares += __shfl_xor_sync(0xffffffff, squares, step);
    product += __shfl_xor_sync(0xffffffff, product, step);
    least = fminf(least, __shfl_xor_sync(0xffffffff, least, step));
    greatest = fmaxf(greatest, __shfl_xor_sync(0xffffffff, greatest, step));
  }
  float span = greatest - least;
  float norm = sqrtf(squares);
  if (span > 0) {
    norm /= span;
    product /= span;
  }
  bool normal = norm > 0 && norm < 1e20f;
  if (!normal) {
    norm = 0;
    product = 0;
  }
  norms[row] = norm;
  products[row] = product;
}
