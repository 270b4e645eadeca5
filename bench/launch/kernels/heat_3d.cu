// A time step of the heat equation with seven points, in double precision.
__global__ void heat_3d(const double* before, double* after, double rate, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  const int row = nx, plane = nx * ny;
  const int i = z * plane + y * row + x;
  const double* p = before + i;
  after[i] = p[0] + rate * (p[-1] + p[1] + p[-row] + p[row] + p[-plane] + p[plane] - 6 * p[0]);
}
