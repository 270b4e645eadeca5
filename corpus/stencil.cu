// Stencils and cellular automata.

// A 7-point sum along a line, with a halo of 3 on either side in shared memory; 256 threads.
__global__ void stencil_line(const float* __restrict__ in, float* __restrict__ out, int n) {
  constexpr int kRadius = 3, kBlock = 256;
  __shared__ float tile[kBlock + 2 * kRadius];
  int i = blockIdx.x * kBlock + threadIdx.x;
  int at = threadIdx.x + kRadius;
  tile[at] = i < n ? in[i] : 0.0f;
  if (threadIdx.x < kRadius) {
    tile[at - kRadius] = i >= kRadius && i - kRadius < n ? in[i - kRadius] : 0.0f;
    tile[at + kBlock] = i + kBlock < n ? in[i + kBlock] : 0.0f;
  }
  __syncthreads();
  if (i >= n) return;
  float sum = 0;
#pragma unroll
  for (int k = -kRadius; k <= kRadius; ++k) sum += tile[at + k] * (0.25f / (1 + k * k));
  out[i] = sum;
}

// The 5-point Laplacian in a plane, straight from global memory: neighbours hit the cache.
__global__ void stencil_plane(const float* __restrict__ in, float* __restrict__ out, int width,
                              int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int i = y * width + x;
  float value = in[i];
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
    value += 0.1f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width] - 4.0f * value);
  }
  out[i] = value;
}

// The 7-point stencil in space: each thread marches along z with its column in registers.
__global__ void stencil_space(const double* __restrict__ in, double* __restrict__ out, int nx,
                              int ny, int nz) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= nx || y >= ny) return;
  bool inside = x > 0 && x < nx - 1 && y > 0 && y < ny - 1;
  int plane = nx * ny, i = y * nx + x;
  double below = 0, here = in[i];
  for (int z = 0; z < nz; ++z, i += plane) {
    double above = z < nz - 1 ? in[i + plane] : 0.0;
    double value = here;
    if (inside && z > 0 && z < nz - 1) {
      value = (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + below + above) / 6.0;
    }
    out[i] = value;
    below = here;
    here = above;
  }
}

// Heat in a plane, `steps` time steps per launch on a tile of 32×16 with its halo kept in shared
// memory (the rim of the tile is lost to each step, so blocks overlap by 2·steps).
__global__ void heat_tile(const float* __restrict__ in, float* __restrict__ out, int width,
                          int height, int steps) {
  constexpr int kWidth = 32, kHeight = 16;
  __shared__ float tile[2][kHeight][kWidth];
  int tx = threadIdx.x, ty = threadIdx.y;
  int x = blockIdx.x * (kWidth - 2 * steps) + tx - steps;
  int y = blockIdx.y * (kHeight - 2 * steps) + ty - steps;
  bool inside = x >= 0 && x < width && y >= 0 && y < height;
  tile[0][ty][tx] = inside ? in[y * width + x] : 0.0f;
  int now = 0;
  for (int step = 1; step <= steps; ++step) {
    __syncthreads();
    bool mine = tx >= step && tx < kWidth - step && ty >= step && ty < kHeight - step;
    if (mine) {
      const auto& t = tile[now];
      float value = t[ty][tx];
      value += 0.125f * (t[ty][tx - 1] + t[ty][tx + 1] + t[ty - 1][tx] + t[ty + 1][tx] - 4 * value);
      tile[1 - now][ty][tx] = inside ? value : 0.0f;
    }
    now = 1 - now;
  }
  bool mine = tx >= steps && tx < kWidth - steps && ty >= steps && ty < kHeight - steps;
  if (mine && inside) out[y * width + x] = tile[now][ty][tx];
}

// Conway's game of life on a torus of bytes: 8-bit loads and stores, remainders, comparisons.
__global__ void life(const unsigned char* __restrict__ in, unsigned char* __restrict__ out,
                     int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int neighbours = 0;
  for (int dy = -1; dy <= 1; ++dy) {
    for (int dx = -1; dx <= 1; ++dx) {
      int u = (x + dx + width) % width, v = (y + dy + height) % height;
      if (dx != 0 || dy != 0) neighbours += in[v * width + u] & 1;
    }
  }
  bool alive = in[y * width + x] & 1;
  out[y * width + x] = neighbours == 3 || (alive && neighbours == 2);
}
