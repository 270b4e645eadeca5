// Products of a matrix and a vector (kinds mvCoal and mvUncoal).

__global__ void mv_rows_stride(const double* __restrict__ a, const double* __restrict__ x,
                               double* __restrict__ y, int rows, int columns) {
  for (int row = blockIdx.x * blockDim.x + threadIdx.x; row < rows; row += blockDim.x * gridDim.x) {
    double sum = 0;
    const double* line = a + static_cast<long long>(row) * columns;
    for (int k = 0; k < columns; ++k) sum += line[k] * x[k];
    y[row] = sum;
  }
}

// 32 columns, four at a time through 128-bit loads.
__global__ void mv_rows_unrolled(const float4* __restrict__ a, const float4* __restrict__ x,
                                 float* __restrict__ y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    float4 m = a[row * 8 + k], v = x[k];
    sum += m.x * v.x + m.y * v.y + m.z * v.z + m.w * v.w;
  }
  y[row] = sum;
}

// The vector in tiles of shared memory; the last tile is not full.
__global__ void mv_tiles(const float* __restrict__ a, const float* __restrict__ x, float* __restrict__ y,
                         int rows, int columns) {
  __shared__ float part[16];
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int first = 0; first < columns; first += 16) {
    int width = min(16, columns - first);
    if (threadIdx.x < width) part[threadIdx.x] = x[first + threadIdx.x];
    __syncthreads();
    if (row < rows) {
      for (int k = 0; k < width; ++k) sum += a[(first + k) * rows + row] * part[k];
    }
    __syncthreads();
  }
  if (row < rows) y[row] = sum;
}
