// out = transpose of in, a matrix of rows × columns floats.
//
// A block moves a tile of block_size_x · items_x columns and block_size_y · items_y rows.
//   staging_mode      0: every thread stores what it loaded; 1: through shared memory;
//                     2: through shared memory with one word of padding per row
//   streaming_stores  1: stores are marked evict-first
//   diagonal_order    1: blocks of a grid row start in different columns of the output
#ifndef block_size_x
#define block_size_x 32
#define block_size_y 8
#define items_x 1
#define items_y 4
#define staging_mode 2
#define streaming_stores 0
#define diagonal_order 0
#endif

constexpr int kThreads = block_size_x * block_size_y;
constexpr int kTileX = block_size_x * items_x;
constexpr int kTileY = block_size_y * items_y;

__device__ void store(float* to, float value) {
#if streaming_stores
  __stcs(to, value);
#else
  *to = value;
#endif
}

extern "C" __global__ void __launch_bounds__(kThreads)
    transpose(const float* __restrict__ in, float* __restrict__ out, int rows, int columns) {
  int block_x = blockIdx.x;
#if diagonal_order
  block_x = (blockIdx.x + blockIdx.y) % gridDim.x;
#endif
  int first_x = block_x * kTileX;
  int first_y = blockIdx.y * kTileY;

#if staging_mode == 0
#pragma unroll
  for (int i = 0; i < items_y; ++i) {
    int y = first_y + threadIdx.y + i * block_size_y;
#pragma unroll
    for (int j = 0; j < items_x; ++j) {
      int x = first_x + threadIdx.x + j * block_size_x;
      if (x < columns && y < rows) {
        store(&out[static_cast<size_t>(x) * rows + y], in[static_cast<size_t>(y) * columns + x]);
      }
    }
  }
#else
  __shared__ float tile[kTileY][kTileX + (staging_mode == 2 ? 1 : 0)];
#pragma unroll
  for (int i = 0; i < items_y; ++i) {
    int tile_row = threadIdx.y + i * block_size_y;
    int y = first_y + tile_row;
#pragma unroll
    for (int j = 0; j < items_x; ++j) {
      int tile_column = threadIdx.x + j * block_size_x;
      int x = first_x + tile_column;
      if (x < columns && y < rows) {
        tile[tile_row][tile_column] = in[static_cast<size_t>(y) * columns + x];
      }
    }
  }
  __syncthreads();
  int thread = threadIdx.y * block_size_x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < items_x * items_y; ++i) {
    int element = thread + i * kThreads;
    int tile_row = element % kTileY;
    int tile_column = element / kTileY;
    int x = first_x + tile_column;
    int y = first_y + tile_row;
    if (x < columns && y < rows) {
      store(&out[static_cast<size_t>(x) * rows + y], tile[tile_row][tile_column]);
    }
  }
#endif
}

// One thread per element, 32 × 8 threads.
extern "C" __global__ void transpose_reference(const float* in, float* out, int rows, int columns) {
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 8 + threadIdx.y;
  if (x < columns && y < rows) {
    out[static_cast<size_t>(x) * rows + y] = in[static_cast<size_t>(y) * columns + x];
  }
}
