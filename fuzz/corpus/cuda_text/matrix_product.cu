// c = a · b for square matrices whose side is a multiple of 16; launch with 16×16 threads.
// Each block walks along a row of tiles of a and a column of tiles of b, both kept in shared
// memory, so that every value fetched from global memory is used 16 times.
constexpr int kTile = 16;
constexpr int kThreads = kTile * kTile;

extern "C" __global__ void __launch_bounds__(kThreads)
    matrix_product(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[kTile][kTile];
  __shared__ float tile_b[kTile][kTile];

  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row = blockIdx.y * kTile + ty;
  int column = blockIdx.x * kTile + tx;
  float sum = 0;

  for (int k = 0; k < n; k += kTile) {
    tile_a[ty][tx] = a[row * n + k + tx];
    tile_b[ty][tx] = b[(k + ty) * n + column];
    __syncthreads();
    for (int i = 0; i < kTile; ++i) {
      sum += tile_a[ty][i] * tile_b[i][tx];
    }
    __syncthreads();
  }
  c[row * n + column] = sum;
}
