// Hand-written: only the tiles of 128 × 128 on and below the diagonal (10 of 16 for 512 columns), each split into 26
// parts of the samples so that all SMs have work (two blocks each). 8 × 8 elements per thread, double-buffered shared
// memory. A second kernel adds up the parts and mirrors the result.
#include <cuda_runtime.h>

namespace {
constexpr int kTile = 128, kStep = 8, kParts = 26;
constexpr int kMaxPairs = 10;  // up to 512 columns

__device__ float partial[(size_t)kParts * kMaxPairs * kTile * kTile];

__device__ void tiles_of_pair(int pair, int &row_tile, int &col_tile) {
  row_tile = 0;
  while (pair > row_tile) pair -= ++row_tile;
  col_tile = pair;
}

__global__ void __launch_bounds__(256, 2) multiply(const float *__restrict__ x, int rows, int cols, int part_rows) {
  __shared__ __align__(16) float as[2][kStep][kTile], bs[2][kStep][kTile];
  int row_tile, col_tile;
  tiles_of_pair(blockIdx.x, row_tile, col_tile);
  const int thread = threadIdx.x, tx = thread % 16, ty = thread / 16;
  const int begin = blockIdx.y * part_rows, end = min(rows, begin + part_rows);
  const int load_row = thread / 32, load_col = thread % 32 * 4;
  const float *from_a = x + (size_t)(begin + load_row) * cols + row_tile * kTile + load_col;
  const float *from_b = x + (size_t)(begin + load_row) * cols + col_tile * kTile + load_col;
  *(float4 *)&as[0][load_row][load_col] = *(const float4 *)from_a;
  *(float4 *)&bs[0][load_row][load_col] = *(const float4 *)from_b;
  __syncthreads();
  float sums[8][8] = {};
  int buffer = 0;
  for (int r = begin; r < end; r += kStep) {
    const bool more = r + kStep < end;
    float4 next_a, next_b;
    if (more) {
      from_a += (size_t)kStep * cols, from_b += (size_t)kStep * cols;
      next_a = *(const float4 *)from_a;
      next_b = *(const float4 *)from_b;
    }
#pragma unroll
    for (int k = 0; k < kStep; ++k) {
      float a[8], b[8];
      *(float4 *)&a[0] = *(const float4 *)&as[buffer][k][ty * 4];
      *(float4 *)&a[4] = *(const float4 *)&as[buffer][k][64 + ty * 4];
      *(float4 *)&b[0] = *(const float4 *)&bs[buffer][k][tx * 4];
      *(float4 *)&b[4] = *(const float4 *)&bs[buffer][k][64 + tx * 4];
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) sums[i][j] += a[i] * b[j];
    }
    buffer ^= 1;
    if (more) {
      *(float4 *)&as[buffer][load_row][load_col] = next_a;
      *(float4 *)&bs[buffer][load_row][load_col] = next_b;
    }
    __syncthreads();
  }
  float *to = partial + ((size_t)blockIdx.y * gridDim.x + blockIdx.x) * kTile * kTile;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    float *row = to + (i / 4 * 64 + ty * 4 + i % 4) * kTile + tx * 4;
    *(float4 *)row = make_float4(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
    *(float4 *)(row + 64) = make_float4(sums[i][4], sums[i][5], sums[i][6], sums[i][7]);
  }
}

// A block of 32 × 8 threads per 32 × 32 elements of a tile.
__global__ void __launch_bounds__(256) add_up(float *__restrict__ gram, int cols, int pairs, float scale) {
  __shared__ float tile[32][33];
  int row_tile, col_tile;
  tiles_of_pair(blockIdx.y, row_tile, col_tile);
  const int in_row = blockIdx.x / 4 * 32, in_col = blockIdx.x % 4 * 32;  // within the tile
  const int row = row_tile * kTile + in_row, col = col_tile * kTile + in_col;
#pragma unroll
  for (int j = threadIdx.y; j < 32; j += 8) {
    const float *from = partial + (size_t)blockIdx.y * kTile * kTile + (in_row + j) * kTile + in_col + threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int part = 0; part < kParts; ++part) sum += from[(size_t)part * pairs * kTile * kTile];
    sum *= scale;
    gram[(size_t)(row + j) * cols + col + threadIdx.x] = sum;
    tile[j][threadIdx.x] = sum;
  }
  if (row_tile == col_tile) return;
  __syncthreads();
#pragma unroll
  for (int j = threadIdx.y; j < 32; j += 8) gram[(size_t)(col + j) * cols + row + threadIdx.x] = tile[threadIdx.x][j];
}
}  // namespace

// The columns are a multiple of 128, at most 512; the rows a multiple of 8.
extern "C" void launch(void **arguments, cudaStream_t stream) {
  const float *x = *(const float **)arguments[0];
  float *gram = *(float **)arguments[1];
  const int rows = *(int *)arguments[2], cols = *(int *)arguments[3];
  const int tiles = cols / kTile, pairs = tiles * (tiles + 1) / 2;
  const int part_rows = ((rows + kParts - 1) / kParts + kStep - 1) / kStep * kStep;
  multiply<<<dim3(pairs, kParts), 256, 0, stream>>>(x, rows, cols, part_rows);
  add_up<<<dim3(16, pairs), dim3(32, 8), 0, stream>>>(gram, cols, pairs, 1.0f / rows);
}
