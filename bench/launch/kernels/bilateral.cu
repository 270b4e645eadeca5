// Bilateral filter of 5 × 5 pixels: weights fall with the distance and with the difference in
// brightness.
__global__ void bilateral(const float* in, float* out, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2) return;
  const float centre = in[y * width + x];
  float sum = 0, weights = 0;
  for (int dy = -2; dy <= 2; ++dy) {
    for (int dx = -2; dx <= 2; ++dx) {
      const float pixel = in[(y + dy) * width + x + dx];
      const float difference = pixel - centre;
      const float weight = __expf(-0.1f * (dx * dx + dy * dy) - 8 * difference * difference);
      sum += weight * pixel;
      weights += weight;
    }
  }
  out[y * width + x] = sum / weights;
}
