// Eleven of 3 × 3 × 3 weights in space are not zero.
__global__ void convolution_3d(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  const int row = nx, plane = nx * ny;
  const int i = z * plane + y * row + x;
  const float* p = in + i;
  out[i] =
      0.6f * p[0] +
      0.2f * (p[-plane - row - 1] + p[-plane - row + 1] + p[plane - row - 1] + p[plane - row + 1]) -
      0.3f * (p[-plane] + p[plane]) -
      0.1f * (p[-plane + row - 1] + p[-plane + row + 1] + p[plane + row - 1] + p[plane + row + 1]);
}
