// Transposes (kinds mt and mtLocal): directly from memory to memory, and through a tile.

// The grid covers the matrix exactly; its sides follow from the launch.
__global__ void transpose_exact(const int* __restrict__ in, int* __restrict__ out) {
  int width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  out[x * height + y] = in[y * width + x];
}

// One-dimensional blocks: row and column by division with a remainder that is not a power of two.
__global__ void transpose_flat(const float* __restrict__ in, float* __restrict__ out, int width,
                               int height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  out[i % width * height + i / width] = in[i];
}

// Each thread moves four elements of a tile of 32×32.
__global__ void transpose_rows(const float* __restrict__ in, float* __restrict__ out, int width,
                               int height) {
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll 1
  for (int j = 0; j < 32; j += 8) {
    if (x < width && y + j < height) out[x * height + y + j] = in[(y + j) * width + x];
  }
}

// Elements of eight bytes.
__global__ void transpose_pairs(const float2* __restrict__ in, float2* __restrict__ out, int width,
                                int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  float2 value = in[y * width + x];
  out[x * height + y] = make_float2(value.y, value.x);
}

// Through a padded tile; both sides are guarded and the barrier is not.
__global__ void transpose_tile(const float* __restrict__ in, float* __restrict__ out, int width,
                               int height) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    if (x < width && y + j < height) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
  }
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
  for (int j = 0; j < 32; j += 8) {
    if (x < height && y + j < width) out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}

__global__ void transpose_tile_exact(const float* __restrict__ in, float* __restrict__ out) {
  __shared__ float tile[16][17];
  int width = gridDim.x * 16, height = gridDim.y * 16;
  tile[threadIdx.y][threadIdx.x] =
      in[(blockIdx.y * 16 + threadIdx.y) * width + blockIdx.x * 16 + threadIdx.x];
  __syncthreads();
  out[(blockIdx.x * 16 + threadIdx.y) * height + blockIdx.y * 16 + threadIdx.x] =
      tile[threadIdx.x][threadIdx.y];
}

// A batch of square matrices, one per z; tiles of 16×16 by blocks of 16×8.
__global__ void transpose_batch(const int* __restrict__ in, int* __restrict__ out, int side) {
  __shared__ int tile[16][17];
  int base = blockIdx.z * side * side;
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  for (int j = 0; j < 16; j += 8) tile[threadIdx.y + j][threadIdx.x] = in[base + (y + j) * side + x];
  __syncthreads();
  x = blockIdx.y * 16 + threadIdx.x;
  y = blockIdx.x * 16 + threadIdx.y;
  for (int j = 0; j < 16; j += 8) out[base + (y + j) * side + x] = tile[threadIdx.x][threadIdx.y + j];
}
