// 2-D convolution of a padded image with a run-time filter in global memory, several channels summed
extern "C" __global__ void conv(const float* im, const float* w, float* out, int H, int W, int C, int R) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= W || y >= H) return;
  int PW = W + 2 * R, PH = H + 2 * R;
  float s = 0.0f;
  for (int c = 0; c < C; c++)
    for (int dy = 0; dy <= 2 * R; dy++)
      for (int dx = 0; dx <= 2 * R; dx++)
        s += im[(c * PH + y + dy) * PW + x + dx] * w[(c * (2 * R + 1) + dy) * (2 * R + 1) + dx];
  out[y * W + x] = s;
}
