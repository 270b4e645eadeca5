// one warp per block: softmax of a row of attention scores
extern "C" __global__ void softmax_row(const float* __restrict__ x, float* __restrict__ y, int cols) {
  int row = blockIdx.x;
  int lane = threadIdx.x;
  const float* p = x + (size_t)row * cols;
  float* o = y + (size_t)row * cols;
  float m = -1e30f;
  for (int i = lane; i < cols; i += 32) m = fmaxf(m, p[i]);
  for (int d = 16; d; d >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, d));
  float s = 0.f;
  for (int i = lane; i < cols; i += 32) s += expf(p[i] - m);
  for (int d = 16; d; d >>= 1) s += __shfl_xor_sync(0xffffffffu, s, d);
  for (int i = lane; i < cols; i += 32) o[i] = expf(p[i] - m) / s;
}
