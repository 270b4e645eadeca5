// An array with its axes in reverse order.
__global__ void permute_3d(const float* in, float* out, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x >= nx || y >= ny || z >= nz) return;
  out[(x * ny + y) * nz + z] = in[(z * ny + y) * nx + x];
}
