// Finite differences in the time domain: the magnetic field after the two components of the
// electric field.
__global__ void fdtd_2d(const float* ex, const float* ey, float* hz, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width - 1 || y >= height - 1) return;
  const int i = y * width + x;
  hz[i] -= 0.7f * (ex[i + width] - ex[i] + ey[i + 1] - ey[i]);
}
