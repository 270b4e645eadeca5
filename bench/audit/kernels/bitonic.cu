// bitonic sort of 1024 keys per block, 512 threads
extern "C" __global__ void bitonic(unsigned* keys) {
  __shared__ unsigned s[1024];
  int t = threadIdx.x;
  unsigned* p = keys + blockIdx.x * 1024;
  s[t] = p[t];
  s[t + 512] = p[t + 512];
  for (int k = 2; k <= 1024; k <<= 1) {
    for (int j = k >> 1; j > 0; j >>= 1) {
      __syncthreads();
      int i = 2 * t - (t & (j - 1));
      bool up = (i & k) == 0;
      unsigned a = s[i], b = s[i + j];
      if ((a > b) == up) {
        s[i] = b;
        s[i + j] = a;
      }
    }
  }
  __syncthreads();
  p[t] = s[t];
  p[t + 512] = s[t + 512];
}
