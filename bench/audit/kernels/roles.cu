// roles by warp: warp 0 loads ahead, warps 1-3 compute a polynomial; fixed 128 threads
extern "C" __global__ void roles(const float* __restrict__ x, float* __restrict__ y, int tiles) {
  __shared__ float buf[2][96];
  int w = threadIdx.x >> 5, l = threadIdx.x & 31;
  const float* p = x + blockIdx.x * tiles * 96;
  float* o = y + blockIdx.x * tiles * 96;
  if (w == 0) for (int k = 0; k < 3; k++) buf[0][k * 32 + l] = p[k * 32 + l];
  __syncthreads();
  for (int t = 0; t < tiles; t++) {
    if (w == 0) {
      if (t + 1 < tiles)
        for (int k = 0; k < 3; k++) buf[(t + 1) & 1][k * 32 + l] = p[(t + 1) * 96 + k * 32 + l];
    } else {
      float v = buf[t & 1][(w - 1) * 32 + l], r = 0.f;
      for (int q = 0; q < 24; q++) r = r * v + 0.1f * q;
      o[t * 96 + (w - 1) * 32 + l] = r;
    }
    __syncthreads();
  }
}
