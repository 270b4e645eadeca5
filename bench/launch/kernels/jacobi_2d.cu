// One Jacobi iteration with five points, in double precision.
__global__ void jacobi_2d(const double* before, double* after, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const double* p = before + y * width + x;
  after[y * width + x] = 0.2 * (p[0] + p[-1] + p[1] + p[-width] + p[width]);
}
