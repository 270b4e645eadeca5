// Kernels in which each element needs its own arithmetic, whatever is done about the rest.

// Each thread computes long, in a loop: fewer threads with more elements leave SMs idle.
extern "C" __global__ void draws(unsigned *state, float *sums, int per) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned s = state[i];
  float sum = 0;
  for (int k = 0; k < per; ++k) {
    s = s * 1664525u + 1013904223u;
    sum += (s >> 8) * (1.0f / 16777216.0f);
  }
  sums[i] = sum;
  state[i] = s;
}

// Roots that no flag makes approximate.
extern "C" __global__ void exact_roots(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = x[i], sum = 0;
  for (int k = 1; k < 24; ++k) sum += __fsqrt_rn(v * v + k);
  y[i] = sum;
}

// The branches between the copies of the loop are those of the root's slow path.
extern "C" __global__ void four_roots(const float *__restrict__ x, float *__restrict__ y) {
  int first = blockIdx.x * 4096 + threadIdx.x;
  for (int k = 0; k < 4; ++k) y[first + k * 1024] = sqrtf(x[first + k * 1024]) + 2.0f;
}

extern "C" __global__ void remainders(const int *x, int *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = x[i];
  for (int k = 0; k < 8; ++k) v = (v * 31 + 7) % n;
  y[i] = v;
}

// Only the last loop has a division.
extern "C" __global__ void divides_rows(const float *x, float *y, int n) {
  x += blockIdx.x * n;
  float sum = 0;
  for (int k = threadIdx.x; k < n; k += blockDim.x) sum += __expf(x[k]);
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  for (int k = threadIdx.x; k < n; k += blockDim.x)
    y[blockIdx.x * n + k] = __expf(x[k]) / sum;
}

// One word for all threads.
extern "C" __global__ void adds_all(const float *x, float *sum) {
  atomicAdd(sum, x[blockIdx.x * blockDim.x + threadIdx.x]);
}

// The dividend advances with the loop, from where its thread begins.
extern "C" __global__ void around(const float *x, float *y, int n, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < m; ++k) sum += x[(i + k) % n];
  y[i] = sum;
}
