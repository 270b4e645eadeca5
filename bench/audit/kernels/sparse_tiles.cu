// idle grid: sparse tiles; only tiles whose flag is set do work (one in 20)
extern "C" __global__ void sparse_tiles(const int* __restrict__ flag, const float* __restrict__ in, float* __restrict__ out, int iters) {
  if (flag[blockIdx.x] != 0) return;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i];
  for (int k = 0; k < iters; k++) v = v * 0.999f + sinf(v) * 0.001f;
  out[i] = v;
}
