// Transposes a square matrix through a 32×32 tile in shared memory; launch with 32×8 threads.
// Both global accesses are coalesced, but the tile is read down a column: 32 lanes, one bank.
// `transpose_padded` adds one column to the tile, and the conflict is gone.
constexpr int kTile = 32;
constexpr int kRows = 8;
constexpr int kThreads = kTile * kRows;

template <int kPad>
__device__ void transpose_tile(const float* in, float* out, int n) {
  __shared__ float tile[kTile][kTile + kPad];

  int x = blockIdx.x * kTile + threadIdx.x;
  int y = blockIdx.y * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * n + x];
  }
  __syncthreads();

  x = blockIdx.y * kTile + threadIdx.x;
  y = blockIdx.x * kTile + threadIdx.y;
  for (int j = 0; j < kTile; j += kRows) {
    out[(y + j) * n + x] = tile[threadIdx.x][threadIdx.y + j];
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    transpose(const float* in, float* out, int n) {
  transpose_tile<0>(in, out, n);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    transpose_padded(const float* in, float* out, int n) {
  transpose_tile<1>(in, out, n);
}
