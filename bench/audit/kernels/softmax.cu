// softmax over rows of 48 logits, a thread per row
extern "C" __global__ void softmax(const float* in, float* out, int rows, int cols, float temp) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  float m = -1e30f;
  for (int c = 0; c < cols; c++) m = fmaxf(m, in[r * cols + c]);
  float s = 0.0f;
  for (int c = 0; c < cols; c++) s += expf((in[r * cols + c] - m) / temp);
  for (int c = 0; c < cols; c++) out[r * cols + c] = expf((in[r * cols + c] - m) / temp) / s;
}
