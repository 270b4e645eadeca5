// Image filters (kind sobel): bytes, borders, local arrays.

// Bytes; the border is left as it is.
__global__ void sobel_inside(const unsigned char* __restrict__ in, unsigned char* __restrict__ out,
                             int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= 1 && x < width - 1 && y >= 1 && y < height - 1) {
    const unsigned char* p = in + y * width + x;
    int gx = p[1 - width] + 2 * p[1] + p[1 + width] - p[-1 - width] - 2 * p[-1] - p[-1 + width];
    int gy = p[width - 1] + 2 * p[width] + p[width + 1] - p[-width - 1] - 2 * p[-width] - p[-width + 1];
    out[y * width + x] = static_cast<unsigned char>(min(255, (abs(gx) + abs(gy)) / 2));
  }
}
