// triangular solve, unequal rows: block i adds the dot product of row i (length i)
extern "C" __global__ void tri_mv(const float* __restrict__ l, const float* __restrict__ x, float* __restrict__ y, int n) {
  __shared__ float s[4];
  int i = blockIdx.x;
  float a = 0.f;
  for (int j = threadIdx.x; j <= i; j += blockDim.x) a += l[i * n + j] * x[j];
  for (int d = 16; d; d >>= 1) a += __shfl_down_sync(~0u, a, d);
  if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = a;
  __syncthreads();
  if (threadIdx.x == 0) y[i] = s[0] + s[1] + s[2] + s[3];
}
