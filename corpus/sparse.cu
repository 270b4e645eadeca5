// Sparse matrices and the steps of a conjugate-gradient solver.

constexpr unsigned kAll = 0xffffffff;

// y = A·x, CSR, a thread per row: loops of different lengths in one warp.
__global__ void spmv_scalar(const int* __restrict__ row_start, const int* __restrict__ column,
                            const float* __restrict__ value, const float* __restrict__ x,
                            float* __restrict__ y, int rows) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = row_start[row]; k < row_start[row + 1]; ++k) sum += value[k] * x[column[k]];
  y[row] = sum;
}

// y = A·x, CSR, a warp per row: lanes beyond the row's end idle, then a shuffle reduction.
__global__ void spmv_vector(const int* __restrict__ row_start, const int* __restrict__ column,
                            const double* __restrict__ value, const double* __restrict__ x,
                            double* __restrict__ y, int rows) {
  int lane = threadIdx.x % 32;
  int warps = gridDim.x * blockDim.x / 32;
  for (int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32; row < rows; row += warps) {
    double sum = 0;
    for (int k = row_start[row] + lane; k < row_start[row + 1]; k += 32) {
      sum += value[k] * x[column[k]];
    }
    for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(kAll, sum, mask);
    if (lane == 0) y[row] = sum;
  }
}

// y = A·x, ELLPACK with `width` entries a row stored by columns, of which every fourth is padding
// in odd rows: no load of x there.
__global__ void spmv_ell(const int* __restrict__ column, const float* __restrict__ value,
                         const float* __restrict__ x, float* __restrict__ y, int rows, int width) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int k = 0; k < width; ++k) {
    bool padding = row % 2 == 1 && k % 4 == 3;
    int c = padding ? -1 : column[k * rows + row];
    if (c >= 0) sum += value[k * rows + row] * x[c];
  }
  y[row] = sum;
}

// C = A·B with A sparse (CSR) and B dense: a block per row, a thread per column of B.
__global__ void spmm(const int* __restrict__ row_start, const int* __restrict__ column,
                     const float* __restrict__ value, const float* __restrict__ b,
                     float* __restrict__ c, int columns) {
  int row = blockIdx.x;
  int begin = row_start[row], end = row_start[row + 1];
  for (int j = threadIdx.x; j < columns; j += blockDim.x) {
    float sum = 0;
    for (int k = begin; k < end; ++k) sum += value[k] * b[column[k] * columns + j];
    c[row * columns + j] = sum;
  }
}

// Sums the block's values; every thread of the first warp gets the sum. At most 1024 threads.
__device__ double block_sum(double value) {
  __shared__ double partial[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int mask = 16; mask > 0; mask /= 2) value += __shfl_xor_sync(kAll, value, mask);
  if (lane == 0) partial[warp] = value;
  __syncthreads();
  if (warp == 0) {
    value = lane < blockDim.x / 32 ? partial[lane] : 0.0;
    for (int mask = 16; mask > 0; mask /= 2) value += __shfl_xor_sync(kAll, value, mask);
  }
  return value;
}

// A step of conjugate gradients without a stored matrix: q = A·p for the 5-point Laplacian, and the
// block's share of p·q.
__global__ void cg_apply(const double* __restrict__ p, double* __restrict__ q,
                         double* __restrict__ partial, int width, int height) {
  int n = width * height;
  double dot = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    int x = i % width, y = i / width;
    double sum = 4.0 * p[i];
    if (x > 0) sum -= p[i - 1];
    if (x < width - 1) sum -= p[i + 1];
    if (y > 0) sum -= p[i - width];
    if (y < height - 1) sum -= p[i + width];
    q[i] = sum;
    dot += p[i] * sum;
  }
  dot = block_sum(dot);
  if (threadIdx.x == 0) partial[blockIdx.x] = dot;
}

// The step's other half: x += alpha·p, r -= alpha·q with alpha = rr / pq, and the share of r·r.
__global__ void cg_update(double* __restrict__ x, double* __restrict__ r,
                          const double* __restrict__ p, const double* __restrict__ q, double rr,
                          double pq, double* __restrict__ partial, int n) {
  double alpha = rr / pq;
  double dot = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    x[i] += alpha * p[i];
    double rest = r[i] - alpha * q[i];
    r[i] = rest;
    dot += rest * rest;
  }
  dot = block_sum(dot);
  if (threadIdx.x == 0) partial[blockIdx.x] = dot;
}
