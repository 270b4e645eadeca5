// The softmax of each row, by one thread.
__global__ void softmax(const float* in, float* out, int rows, int columns) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows) return;
  const float* row = in + i * columns;
  float largest = row[0];
  for (int j = 1; j < columns; ++j) largest = fmaxf(largest, row[j]);
  float sum = 0;
  for (int j = 0; j < columns; ++j) sum += __expf(row[j] - largest);
  const float scale = 1 / sum;
  for (int j = 0; j < columns; ++j) out[i * columns + j] = __expf(row[j] - largest) * scale;
}
