// signed minimum distance per cluster: atomicMin of 128 words, float keys
extern "C" __global__ void nearest(const float* __restrict__ d, const int* __restrict__ c, int* best, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int key = (int)(d[i] * 1000000.f) - 500000;
  atomicMin(&best[c[i]], key);
}
