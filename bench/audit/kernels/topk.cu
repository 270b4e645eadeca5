// each thread keeps the 8 largest of its strip in a local array, replaced at a run-time index
extern "C" __global__ void topk(const float* in, float* out, int n, int per) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  float best[8];
  for (int k = 0; k < 8; k++) best[k] = -1e30f;
  int worst = 0;
  for (int j = 0; j < per; j++) {
    int i = j * threads + t;
    if (i >= n) break;
    float v = in[i];
    if (v > best[worst]) {
      best[worst] = v;
      worst = 0;
      for (int k = 1; k < 8; k++)
        if (best[k] < best[worst]) worst = k;
    }
  }
  for (int k = 0; k < 8; k++) out[k * threads + t] = best[k];
}
