// Work that other threads or larger tiles cannot take over.

// Each step of the loop needs the result that another thread has in the step before.
extern "C" __global__ void solves(const float *lower, float *x) {
  __shared__ float solved[128];
  int row = threadIdx.x;
  float v = x[blockIdx.x * 128 + row];
  for (int k = 0; k < 128; ++k) {
    if (row == k) solved[k] = v / lower[k * 128 + k];
    __syncthreads();
    if (row > k) v -= lower[row * 128 + k] * solved[k];
  }
  x[blockIdx.x * 128 + row] = solved[row];
}

// One thread runs a recurrence for its block.
extern "C" __global__ void decays(const float *x, float *y, int n) {
  __shared__ float level;
  x += blockIdx.x * n;
  if (threadIdx.x == 0) {
    float s = 0;
    for (int k = 0; k < n; ++k) s = 0.5f * s + x[k];
    level = s;
  }
  __syncthreads();
  for (int k = threadIdx.x; k < n; k += blockDim.x) y[blockIdx.x * n + k] = x[k] - level;
}

// Each block multiplies a tile of its own.
extern "C" __global__ void squares_tiles(const float *in, float *out, int n) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 32; ++k) sum += tile[k][threadIdx.x] * tile[threadIdx.y][k];
  out[y * n + x] = sum;
}

// A loaded value ends the row.
extern "C" __global__ void finds_first(const float *x, int *at, int n, float limit) {
  int row = blockIdx.x * blockDim.x + threadIdx.x, found = -1;
  for (int k = 0; k < n; ++k) {
    if (x[row * n + k] > limit) {
      found = k;
      break;
    }
  }
  at[row] = found;
}
