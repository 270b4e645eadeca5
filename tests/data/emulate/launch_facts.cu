// Kernels whose launch and indices may only be changed in certain ways (tests/advise).
extern "C" __global__ void row_scale(const float* __restrict__ a, float* __restrict__ b,
                                     const float* __restrict__ f, int cols) {
  for (int c = threadIdx.x; c < cols; c += blockDim.x)
    b[blockIdx.x * cols + c] = a[blockIdx.x * cols + c] * f[blockIdx.x];
}
extern "C" __global__ void parts_of_grid(const float* __restrict__ a, int* __restrict__ at, int n) {
  int threads = gridDim.x * blockDim.x, t = blockIdx.x * blockDim.x + threadIdx.x;
  int part = n / threads;
  float best = 1e30f;
  int found = -1;
  for (int k = 0; k < part; k++) {
    if (a[t * part + k] < best) {
      best = a[t * part + k];
      found = t * part + k;
    }
  }
  at[t] = found;
}
extern "C" __global__ void tagged(int* __restrict__ o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = (i / blockDim.x) * 1000 + threadIdx.x;
}
extern "C" __global__ void twenty(const float* __restrict__ a, float* __restrict__ b) {
  int e = blockIdx.x, q = threadIdx.x;
  b[e * 20 + q] = a[e * 20] * a[e * 20 + q];
}
extern "C" __global__ void running_sum(const int* __restrict__ a, int* __restrict__ b, int n) {
  int s = 0;
  for (int i = 0; i < n; i++) b[i] = s += a[i];
}
extern "C" __global__ void row_sum(const float* __restrict__ a, float* __restrict__ s, int cols) {
  float t = 0;
  for (int c = 0; c < cols; c++) t += a[blockIdx.x * cols + c];
  s[blockIdx.x] = t;
}
extern "C" __global__ void time_steps(float* __restrict__ u, int steps) {
  __shared__ float s[258];
  int t = threadIdx.x;
  s[t + 1] = u[t];
  if (t == 0) s[0] = s[257] = 0;
  for (int k = 0; k < steps; k++) {
    __syncthreads();
    float v = 0.25f * s[t] + 0.5f * s[t + 1] + 0.25f * s[t + 2];
    __syncthreads();
    s[t + 1] = v;
  }
  u[t] = s[t + 1];
}
extern "C" __global__ void centre(float* x, int n) {
  __shared__ float sum;
  float* p = x + blockIdx.x * n;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  float s = 0;
#pragma unroll 1
  for (int i = threadIdx.x; i < n; i += 256) s += p[i];
  atomicAdd(&sum, s);
  __syncthreads();
#pragma unroll 1
  for (int i = threadIdx.x; i < n; i += 256) p[i] -= sum / n;
}
// Blocks along y share the row of blockIdx.x, in strides of the grid along y.
extern "C" __global__ void slices_of_row(const int* __restrict__ a, int* __restrict__ sums, int n) {
  const int* row = a + blockIdx.x * n;
  int sum = 0;
  for (int i = blockIdx.y * blockDim.x + threadIdx.x; i < n; i += gridDim.y * blockDim.x)
    sum += row[i];
  atomicAdd(&sums[blockIdx.x], sum);
}
// A warp reads its row of 4 KB three times: with twice the warps, the rows no longer fit in L1.
extern "C" __global__ void row_softmax(const float* __restrict__ a, float* __restrict__ b,
                                       int cols) {
  const float* p = a + blockIdx.x * cols;
  float most = -1e30f, sum = 0;
  for (int i = threadIdx.x; i < cols; i += 32) most = fmaxf(most, p[i]);
  for (int d = 16; d > 0; d /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, d));
  for (int i = threadIdx.x; i < cols; i += 32) sum += __expf(p[i] - most);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  for (int i = threadIdx.x; i < cols; i += 32) b[blockIdx.x * cols + i] = __expf(p[i] - most) / sum;
}
