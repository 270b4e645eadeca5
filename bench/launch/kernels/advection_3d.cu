// A quantity carried by a velocity field, with differences taken against the flow.
__global__ void advection_3d(const float* in, const float* u, const float* v, const float* w,
                             float* out, float dt, int nx, int ny, int nz) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y * blockDim.y + threadIdx.y;
  const int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || y < 1 || z < 1 || x >= nx - 1 || y >= ny - 1 || z >= nz - 1) return;
  const int row = nx, plane = nx * ny;
  const int i = z * plane + y * row + x;
  const float own = in[i];
  // The random velocities are from 0 to 1: half of them point backwards.
  const float a = u[i] - 0.5f, b = v[i] - 0.5f, c = w[i] - 0.5f;
  const float along_x = a > 0 ? own - in[i - 1] : in[i + 1] - own;
  const float along_y = b > 0 ? own - in[i - row] : in[i + row] - own;
  const float along_z = c > 0 ? own - in[i - plane] : in[i + plane] - own;
  out[i] = own - dt * (a * along_x + b * along_y + c * along_z);
}
