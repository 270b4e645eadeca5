// Hillis-Steele inclusive scan of 512 per block
extern "C" __global__ void scan512(const int* __restrict__ in, int* __restrict__ out, int* __restrict__ sums) {
  __shared__ int a[512];
  int t = threadIdx.x;
  int i = blockIdx.x * 512 + t;
  a[t] = in[i];
  __syncthreads();
  for (int d = 1; d < 512; d *= 2) {
    int v = 0;
    if (t >= d) v = a[t - d];
    __syncthreads();
    a[t] += v;
    __syncthreads();
  }
  out[i] = a[t];
  if (t == 511) sums[blockIdx.x] = a[511];
}
