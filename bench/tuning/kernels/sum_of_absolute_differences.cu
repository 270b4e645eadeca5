// Motion estimation: the sum of absolute differences (SAD) of every 4×4 block of the current frame
// and the 32 × 32 blocks of the previous frame that are -16 to 15 pixels away in x and y. The
// parameters are those of SAD in "Program optimization carving for GPU computing", Table 3.
// Frames have width × height bytes, both multiples of 4; pixels outside repeat the border. The
// result has 1024 values for each 4×4 block, row by row.
//
//   positions_per_thread  positions that a thread computes (a block has 1024 / that many threads)
//   unroll_positions, unroll_rows, unroll_columns   unroll factors of the three inner loops
//   blocks_per_block      adjacent 4×4 blocks that a thread block works on
#ifndef positions_per_thread
#define positions_per_thread 8
#define unroll_positions 2
#define unroll_rows 4
#define unroll_columns 4
#define blocks_per_block 4
#endif

constexpr int kUnrollPositions = unroll_positions;
constexpr int kUnrollRows = unroll_rows;
constexpr int kUnrollColumns = unroll_columns;
constexpr int kRange = 32;
constexpr int kPositions = kRange * kRange;
constexpr int kThreads = kPositions / positions_per_thread;
constexpr int kWindowHeight = kRange + 3;
constexpr int kWindowWidth = kRange + 3 + 4 * (blocks_per_block - 1);

extern "C" __global__ void __launch_bounds__(kThreads)
    sum_of_absolute_differences(const unsigned char* __restrict__ current,
                                const unsigned char* __restrict__ previous,
                                unsigned short* __restrict__ out, int width, int height) {
  __shared__ unsigned char window[kWindowHeight][(kWindowWidth + 3) / 4 * 4];
  __shared__ unsigned char block[4][4 * blocks_per_block];
  int first_x = blockIdx.x * 4 * blocks_per_block;
  int first_y = blockIdx.y * 4;
  for (int i = threadIdx.x; i < kWindowHeight * kWindowWidth; i += kThreads) {
    int window_y = i / kWindowWidth;
    int window_x = i % kWindowWidth;
    int y = min(max(first_y + window_y - kRange / 2, 0), height - 1);
    int x = min(max(first_x + window_x - kRange / 2, 0), width - 1);
    window[window_y][window_x] = previous[y * width + x];
  }
  for (int i = threadIdx.x; i < 16 * blocks_per_block; i += kThreads) {
    int y = i / (4 * blocks_per_block);
    int x = i % (4 * blocks_per_block);
    block[y][x] = current[(first_y + y) * width + min(first_x + x, width - 1)];
  }
  __syncthreads();

  int blocks_per_row = width / 4;
#pragma unroll 1
  for (int b = 0; b < blocks_per_block; ++b) {
    int block_x = blockIdx.x * blocks_per_block + b;
    if (block_x >= blocks_per_row) break;
    unsigned short* result =
        out + (static_cast<size_t>(blockIdx.y) * blocks_per_row + block_x) * kPositions;
#pragma unroll kUnrollPositions
    for (int p = 0; p < positions_per_thread; ++p) {
      int position = threadIdx.x + p * kThreads;
      int dy = position / kRange;
      int dx = position % kRange;
      int sum = 0;
#pragma unroll kUnrollRows
      for (int y = 0; y < 4; ++y) {
#pragma unroll kUnrollColumns
        for (int x = 0; x < 4; ++x) {
          sum += abs(block[y][4 * b + x] - window[dy + y][4 * b + dx + x]);
        }
      }
      result[position] = sum;
    }
  }
}

// One thread per position, 256 threads; the grid has one block for 256 positions of a 4×4 block.
extern "C" __global__ void sum_of_absolute_differences_reference(const unsigned char* current,
                                                                 const unsigned char* previous,
                                                                 unsigned short* out, int width,
                                                                 int height) {
  int block_index = blockIdx.x / 4;
  int position = blockIdx.x % 4 * 256 + threadIdx.x;
  int first_x = block_index % (width / 4) * 4;
  int first_y = block_index / (width / 4) * 4;
  int sum = 0;
  for (int i = 0; i < 16; ++i) {
    int x = first_x + i % 4;
    int y = first_y + i / 4;
    int other_x = min(max(x + position % kRange - kRange / 2, 0), width - 1);
    int other_y = min(max(y + position / kRange - kRange / 2, 0), height - 1);
    sum += abs(current[y * width + x] - previous[other_y * width + other_x]);
  }
  out[static_cast<size_t>(block_index) * kPositions + position] = sum;
}
