// Julia set with an early exit; smooth colouring
extern "C" __global__ void julia(unsigned char* img, int w, int h, float cr, float ci, int maxit) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  float zr = 3.0f * x / w - 1.5f, zi = 3.0f * y / h - 1.5f;
  int it = 0;
  while (it < maxit) {
    float r2 = zr * zr, i2 = zi * zi;
    if (sqrtf(r2 + i2) > 2.0f) break;
    zi = 2.0f * zr * zi + ci;
    zr = r2 - i2 + cr;
    it++;
  }
  img[y * w + x] = (unsigned char)(255 * it / maxit);
}
