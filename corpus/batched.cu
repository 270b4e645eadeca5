// Many small systems at once.

// LU factors without pivoting of n×n matrices, a block per matrix with a thread per column; the
// diagonal is raised by n first, so that the pivots stay away from zero. IEEE division, dynamic
// shared memory of n·n floats.
__global__ void lu_batched(float* __restrict__ matrices, int n) {
  extern __shared__ float a[];
  float* matrix = matrices + static_cast<long long>(blockIdx.x) * n * n;
  int column = threadIdx.x;
  if (column < n) {
    for (int row = 0; row < n; ++row) {
      a[row * n + column] = matrix[row * n + column] + (row == column ? n : 0);
    }
  }
  __syncthreads();
  for (int k = 0; k < n - 1; ++k) {
    if (column > k && column < n) a[column * n + k] /= a[k * n + k];
    __syncthreads();
    if (column > k && column < n) {
      float top = a[k * n + column];
      for (int row = k + 1; row < n; ++row) a[row * n + column] -= a[row * n + k] * top;
    }
    __syncthreads();
  }
  if (column < n) {
    for (int row = 0; row < n; ++row) matrix[row * n + column] = a[row * n + column];
  }
}

// Cholesky factors in double precision, a thread per matrix of at most 8×8 held in a local array.
// The matrix is made symmetric and diagonally dominant first. FP64 square root and division.
__global__ void cholesky_batched(const double* __restrict__ in, double* __restrict__ out, int n,
                                 int count) {
  int index = blockIdx.x * blockDim.x + threadIdx.x;
  if (index >= count) return;
  double l[8][8];
  const double* matrix = in + index * n * n;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j <= i; ++j) {
      double sum = 0.5 * (matrix[i * n + j] + matrix[j * n + i]) + (i == j ? n : 0);
      for (int k = 0; k < j; ++k) sum -= l[i][k] * l[j][k];
      l[i][j] = i == j ? sqrt(sum) : sum / l[j][j];
    }
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) out[index * n * n + i * n + j] = j <= i ? l[i][j] : 0.0;
  }
}

// Thomas's algorithm for tridiagonal systems, a thread per system, unknowns interleaved so that
// loads coalesce. A serial chain of divisions forth and back.
__global__ void thomas(const float* __restrict__ lower, const float* __restrict__ upper,
                       const float* __restrict__ right, float* __restrict__ work,
                       float* __restrict__ x, int n, int systems) {
  int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  float c = 0, d = 0;
  for (int i = 0; i < n; ++i) {
    int at = i * systems + s;
    float a = i > 0 ? lower[at] : 0.0f;
    float pivot = 4.0f - a * c;  // the diagonal is 4
    c = upper[at] / pivot;
    d = (right[at] - a * d) / pivot;
    work[at] = c;
    x[at] = d;
  }
  for (int i = n - 2; i >= 0; --i) {
    int at = i * systems + s;
    d = x[at] - work[at] * d;
    x[at] = d;
  }
}

// Parallel cyclic reduction: a block per tridiagonal system of blockDim.x unknowns, four arrays in
// dynamic shared memory, log2(n) rounds between barriers.
__global__ void cyclic_reduction(const float* __restrict__ lower, const float* __restrict__ upper,
                                 const float* __restrict__ right, float* __restrict__ x) {
  extern __shared__ float shared[];
  int n = blockDim.x, i = threadIdx.x;
  float *a = shared, *b = a + n, *c = b + n, *d = c + n;
  int at = blockIdx.x * n + i;
  a[i] = i > 0 ? lower[at] : 0.0f;
  b[i] = 4.0f;
  c[i] = i < n - 1 ? upper[at] : 0.0f;
  d[i] = right[at];
  for (int step = 1; step < n; step *= 2) {
    __syncthreads();
    int above = i - step, below = i + step;
    float alpha = above >= 0 ? -a[i] / b[above] : 0.0f;
    float gamma = below < n ? -c[i] / b[below] : 0.0f;
    float new_a = above >= 0 ? alpha * a[above] : 0.0f;
    float new_c = below < n ? gamma * c[below] : 0.0f;
    float new_b = b[i] + (above >= 0 ? alpha * c[above] : 0.0f);
    float new_d = d[i] + (above >= 0 ? alpha * d[above] : 0.0f);
    new_b += below < n ? gamma * a[below] : 0.0f;
    new_d += below < n ? gamma * d[below] : 0.0f;
    __syncthreads();
    a[i] = new_a;
    b[i] = new_b;
    c[i] = new_c;
    d[i] = new_d;
  }
  x[at] = d[i] / b[i];
}
