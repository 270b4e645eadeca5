// Stencils (kind stencil): neighbours in one to three dimensions.

// Seven points in three dimensions, blocks of three dimensions.
__global__ void stencil_space(const float* __restrict__ in, float* __restrict__ out, int nx, int ny,
                              int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  int z = blockIdx.z * blockDim.z + threadIdx.z;
  if (x < 1 || x >= nx - 1 || y < 1 || y >= ny - 1 || z < 1 || z >= nz - 1) return;
  int i = (z * ny + y) * nx + x;
  out[i] = 0.5f * in[i] + (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + in[i - nx * ny] +
                           in[i + nx * ny]) * 0.0833f;
}

// Each thread marches along z with its column in registers.
__global__ void stencil_march(const double* __restrict__ in, double* __restrict__ out, int nx, int ny,
                              int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  bool inside = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
  int plane = nx * ny, i = y * nx + x;
  double below = 0, here = in[i];
  for (int z = 0; z < nz; ++z, i += plane) {
    double above = z < nz - 1 ? in[i + plane] : 0.0, value = here;
    if (inside && z > 0 && z < nz - 1) {
      value = (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + below + above) / 6.0;
    }
    out[i] = value;
    below = here;
    here = above;
  }
}

// Conway's game of life on a torus that the grid covers exactly.
__global__ void stencil_torus(const int* __restrict__ in, int* __restrict__ out) {
  int width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  int west = (x + width - 1) % width, east = (x + 1) % width;
  int north = (y + height - 1) % height * width, south = (y + 1) % height * width, own = y * width;
  int alive = in[north + west] + in[north + x] + in[north + east] + in[own + west] + in[own + east] +
              in[south + west] + in[south + x] + in[south + east];
  out[own + x] = alive == 3 || (alive == 2 && in[own + x]) ? 1 : 0;
}

// Five points from a tile; the threads at the tile's edges load the halo.
__global__ void stencil_plane_tile(const float* __restrict__ in, float* __restrict__ out, int width,
                                   int height) {
  __shared__ float tile[10][18];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  int u = threadIdx.x + 1, v = threadIdx.y + 1, i = y * width + x;
  bool inside = x < width && y < height;
  if (inside) {
    tile[v][u] = in[i];
    if (u == 1) tile[v][0] = x > 0 ? in[i - 1] : 0.0f;
    if (u == 16 || x == width - 1) tile[v][u + 1] = x < width - 1 ? in[i + 1] : 0.0f;
    if (v == 1) tile[0][u] = y > 0 ? in[i - width] : 0.0f;
    if (v == 8 || y == height - 1) tile[v + 1][u] = y < height - 1 ? in[i + width] : 0.0f;
  }
  __syncthreads();
  if (inside) {
    out[i] = tile[v][u] + 0.1f * (tile[v][u - 1] + tile[v][u + 1] + tile[v - 1][u] + tile[v + 1][u] -
                                  4.0f * tile[v][u]);
  }
}

// Several time steps on one line per block, with two barriers each.
__global__ void stencil_time_steps(const float* __restrict__ in, float* __restrict__ out, int steps) {
  __shared__ float line[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  line[t] = in[i];
  for (int step = 0; step < steps; ++step) {
    __syncthreads();
    float left = t > 0 ? line[t - 1] : 0.0f, right = t < 127 ? line[t + 1] : 0.0f;
    float value = 0.5f * line[t] + 0.25f * (left + right);
    __syncthreads();
    line[t] = value;
  }
  out[i] = line[t];
}

// Gauss-Seidel on one colour of a chess board, in place: neighbours have the other colour.
__global__ void stencil_red_black(float* __restrict__ values, int width, int height, int colour) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  if ((x + y) % 2 != colour) return;
  int i = y * width + x;
  values[i] = 0.25f * (values[i - 1] + values[i + 1] + values[i - width] + values[i + width]);
}
