// Transposes (kinds mt and mtLocal): directly from memory to memory, and through a tile.

__global__ void transpose_direct(const float* __restrict__ in, float* __restrict__ out, int width,
                                 int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

// The tile is dynamic shared memory, its side the block's.
__global__ void transpose_tile_dynamic(const double* __restrict__ in, double* __restrict__ out,
                                       int width, int height) {
  extern __shared__ double cells[];
  int side = blockDim.x, pitch = side + 1;
  int x = blockIdx.x * side + threadIdx.x, y = blockIdx.y * side + threadIdx.y;
  if (x < width && y < height) cells[threadIdx.y * pitch + threadIdx.x] = in[y * width + x];
  __syncthreads();
  x = blockIdx.y * side + threadIdx.x;
  y = blockIdx.x * side + threadIdx.y;
  if (x < height && y < width) out[y * height + x] = cells[threadIdx.x * pitch + threadIdx.y];
}
