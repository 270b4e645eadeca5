// A matrix, transposed in tiles of 32 by 32 through shared memory.
__global__ void transpose_tile(const float* matrix, float* transposed, int n) {
  __shared__ float tile[32][33];
  const int column = blockIdx.x * 32, row = blockIdx.y * 32;
  for (int y = threadIdx.y; y < 32; y += block_size_y) {
    if (column + threadIdx.x < n && row + y < n) tile[y][threadIdx.x] = matrix[(row + y) * n + column + threadIdx.x];
  }
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += block_size_y) {
    if (row + threadIdx.x < n && column + y < n) transposed[(column + y) * n + row + threadIdx.x] = tile[threadIdx.x][y];
  }
}
