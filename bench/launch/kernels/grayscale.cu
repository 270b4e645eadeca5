// Brightness of pixels of three bytes.
__global__ void grayscale(const unsigned char* colours, unsigned char* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const int i = y * width + x;
  out[i] = (77 * colours[3 * i] + 150 * colours[3 * i + 1] + 29 * colours[3 * i + 2]) >> 8;
}
