// Matrix transposes: the same result with three ways of reaching memory. Blocks are 32×8 threads,
// each moving a tile of 32×32.

constexpr int kTile = 32;
constexpr int kRows = 8;

// Straight from global to global memory: the stores are strided.
__global__ void transpose_naive(const float* __restrict__ in, float* __restrict__ out, int width,
                                int height) {
  int x = blockIdx.x * kTile + threadIdx.x;
  for (int j = 0; j < kTile; j += kRows) {
    int y = blockIdx.y * kTile + threadIdx.y + j;
    if (x < width && y < height) out[x * height + y] = in[y * width + x];
  }
}

// Through an unpadded tile in shared memory: coalesced, with 32-way bank conflicts on reading.
__global__ void transpose_shared(const float* __restrict__ in, float* __restrict__ out, int width,
                                 int height) {
  __shared__ float tile[kTile][kTile];
  int x = blockIdx.x * kTile + threadIdx.x;
  for (int j = 0; j < kTile; j += kRows) {
    int y = blockIdx.y * kTile + threadIdx.y + j;
    if (x < width && y < height) tile[threadIdx.y + j][threadIdx.x] = in[y * width + x];
  }
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  for (int j = 0; j < kTile; j += kRows) {
    int y = blockIdx.x * kTile + threadIdx.y + j;
    if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}

// Through a padded tile: no bank conflicts. 64-bit elements, so that LDS.64 and STS.64 occur.
__global__ void transpose_padded(const double* __restrict__ in, double* __restrict__ out, int width,
                                 int height) {
  __shared__ double tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x;
  for (int j = 0; j < kTile; j += kRows) {
    int y = blockIdx.y * kTile + threadIdx.y + j;
    if (x < width && y < height) tile[threadIdx.y + j][threadIdx.x] = in[y * width + x];
  }
  __syncthreads();
  x = blockIdx.y * kTile + threadIdx.x;
  for (int j = 0; j < kTile; j += kRows) {
    int y = blockIdx.x * kTile + threadIdx.y + j;
    if (x < height && y < width) out[y * height + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}
