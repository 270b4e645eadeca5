// A seven-point stencil on a grid of nx × ny × nz floats, x fastest:
// out = 0.4 · in + 0.1 · (the sum of the six neighbours); points on the surface are copied.
//
// A block walks through planes_per_block planes and computes block_size_x · tile_x points by
// block_size_y · tile_y points in each.
//   use_shared      1: the plane is copied to shared memory, with its neighbours in x and y
//   register_queue  1: the values of the planes below and above stay in registers
#ifndef block_size_x
#define block_size_x 64
#define block_size_y 4
#define tile_x 1
#define tile_y 2
#define planes_per_block 16
#define use_shared 0
#define register_queue 1
#endif

constexpr int kThreads = block_size_x * block_size_y;
constexpr int kTileX = block_size_x * tile_x;
constexpr int kTileY = block_size_y * tile_y;

extern "C" __global__ void __launch_bounds__(kThreads)
    stencil(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, int nz) {
  int first_x = blockIdx.x * kTileX;
  int first_y = blockIdx.y * kTileY;
  int first_z = blockIdx.z * planes_per_block;
  int end_z = min(first_z + planes_per_block, nz);
  // A value of the grid, or that of the nearest point inside.
  auto value = [&](int x, int y, int z) {
    x = min(max(x, 0), nx - 1);
    y = min(max(y, 0), ny - 1);
    z = min(max(z, 0), nz - 1);
    return in[(static_cast<size_t>(z) * ny + y) * nx + x];
  };

#if use_shared
  __shared__ float plane[kTileY + 2][kTileX + 2];
#endif
#if register_queue
  float below[tile_y][tile_x];
  float here[tile_y][tile_x];
#pragma unroll
  for (int i = 0; i < tile_y; ++i) {
#pragma unroll
    for (int j = 0; j < tile_x; ++j) {
      int x = first_x + threadIdx.x + j * block_size_x;
      int y = first_y + threadIdx.y + i * block_size_y;
      below[i][j] = value(x, y, first_z - 1);
      here[i][j] = value(x, y, first_z);
    }
  }
#endif

  for (int z = first_z; z < end_z; ++z) {
#if use_shared
    for (int y = threadIdx.y; y < kTileY + 2; y += block_size_y) {
      for (int x = threadIdx.x; x < kTileX + 2; x += block_size_x) {
        plane[y][x] = value(first_x + x - 1, first_y + y - 1, z);
      }
    }
    __syncthreads();
#endif
#pragma unroll
    for (int i = 0; i < tile_y; ++i) {
#pragma unroll
      for (int j = 0; j < tile_x; ++j) {
        int tile_column = threadIdx.x + j * block_size_x;
        int tile_row = threadIdx.y + i * block_size_y;
        int x = first_x + tile_column;
        int y = first_y + tile_row;
        float above = value(x, y, z + 1);
#if register_queue
        float under = below[i][j];
        float centre = here[i][j];
        below[i][j] = centre;
        here[i][j] = above;
#else
        float under = value(x, y, z - 1);
#if use_shared
        float centre = plane[tile_row + 1][tile_column + 1];
#else
        float centre = value(x, y, z);
#endif
#endif
#if use_shared
        float beside = plane[tile_row + 1][tile_column] + plane[tile_row + 1][tile_column + 2] +
                       plane[tile_row][tile_column + 1] + plane[tile_row + 2][tile_column + 1];
#else
        float beside =
            value(x - 1, y, z) + value(x + 1, y, z) + value(x, y - 1, z) + value(x, y + 1, z);
#endif
        if (x < nx && y < ny) {
          bool surface = x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1;
          out[(static_cast<size_t>(z) * ny + y) * nx + x] =
              surface ? centre : 0.4f * centre + 0.1f * (beside + under + above);
        }
      }
    }
#if use_shared
    __syncthreads();
#endif
  }
}

// One thread per point, 32 × 8 threads.
extern "C" __global__ void stencil_reference(const float* in, float* out, int nx, int ny, int nz) {
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 8 + threadIdx.y;
  int z = blockIdx.z;
  if (x >= nx || y >= ny) return;
  size_t plane = static_cast<size_t>(nx) * ny;
  size_t at = z * plane + static_cast<size_t>(y) * nx + x;
  if (x == 0 || y == 0 || z == 0 || x == nx - 1 || y == ny - 1 || z == nz - 1) {
    out[at] = in[at];
  } else {
    float sum =
        in[at - 1] + in[at + 1] + in[at - nx] + in[at + nx] + in[at - plane] + in[at + plane];
    out[at] = 0.4f * in[at] + 0.1f * sum;
  }
}
