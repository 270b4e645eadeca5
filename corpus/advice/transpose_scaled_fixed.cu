// The transpose of a matrix whose rows are scaled, through tiles in shared memory; blocks of 32×8.

constexpr int kTile = 32;
constexpr int kRows = 8;

__global__ void transpose_scaled(const float* __restrict__ in, const float* __restrict__ scales,
                                 float* __restrict__ out, int width, int height) {
  __shared__ float tile[kTile][kTile + 1];
  int x = blockIdx.x * kTile + threadIdx.x;
  int first = blockIdx.y * kTile;

#pragma unroll
  for (int k = 0; k < kTile; k += kRows) {
    int y = first + threadIdx.y + k;
    float value = 0;
    if (x < width && y < height) {
      value = in[static_cast<size_t>(y) * width + x];
      value *= scales[y];
    }
    tile[threadIdx.y + k][threadIdx.x] = value;
  }
  __syncthreads();

  int row = first + threadIdx.x;
  int column = blockIdx.x * kTile;
  bool partial = row >= height;
#pragma unroll
  for (int k = 0; k < kTile; k += kRows) {
    int y = column + threadIdx.y + k;
    float value = tile[threadIdx.x][threadIdx.y + k];
    if (!partial && y < width) {
      out[static_cast<size_t>(y) * height + row] = value;
    }
  }
}
