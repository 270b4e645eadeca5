// out = in ∗ filter, a filter of 17 × 17 weights over an image of width × height pixels. `in` has a
// border: (width + 16) × (height + 16) pixels.
//
// A block computes block_size_x · tile_x columns and block_size_y · tile_y rows.
//   use_shared     1: the block's part of the image is copied to shared memory first
//   use_padding    1: its rows are one word longer
//   use_ldg        1: the image is loaded with __ldg
//   column_window  0: a thread's rows are block_size_y apart, and it loads each pixel where it is
//                  needed; 1: its rows are adjacent, and it loads a column of pixels once for all
#ifndef block_size_x
#define block_size_x 32
#define block_size_y 4
#define tile_x 1
#define tile_y 4
#define use_shared 1
#define use_padding 0
#define use_ldg 0
#define column_window 1
#endif

constexpr int kFilter = 17;
constexpr int kBorder = kFilter - 1;
constexpr int kThreads = block_size_x * block_size_y;
constexpr int kTileX = block_size_x * tile_x;
constexpr int kTileY = block_size_y * tile_y;

__constant__ float filter[kFilter * kFilter];

__device__ float load(const float* from) {
#if use_ldg
  return __ldg(from);
#else
  return *from;
#endif
}

extern "C" __global__ void __launch_bounds__(kThreads)
    convolution(const float* in, float* out, int width, int height) {
  int first_x = blockIdx.x * kTileX;
  int first_y = blockIdx.y * kTileY;
  int pitch = width + kBorder;

#if use_shared
  __shared__ float tile[kTileY + kBorder][kTileX + kBorder + use_padding];
  for (int y = threadIdx.y; y < kTileY + kBorder; y += block_size_y) {
    for (int x = threadIdx.x; x < kTileX + kBorder; x += block_size_x) {
      bool inside = first_y + y < height + kBorder && first_x + x < pitch;
      tile[y][x] = inside ? load(&in[(first_y + y) * pitch + first_x + x]) : 0.0f;
    }
  }
  __syncthreads();
#endif
  // A pixel of the block's part of the image.
  auto pixel = [&](int y, int x) {
#if use_shared
    return tile[y][x];
#else
    int row = min(first_y + y, height + kBorder - 1);
    int column = min(first_x + x, pitch - 1);
    return load(&in[row * pitch + column]);
#endif
  };

  float sum[tile_y][tile_x] = {};
#if column_window
  int y0 = threadIdx.y * tile_y;
  constexpr int kRowStep = 1;
#pragma unroll 1
  for (int fx = 0; fx < kFilter; ++fx) {
    float window[tile_x][tile_y + kBorder];
#pragma unroll
    for (int j = 0; j < tile_x; ++j) {
#pragma unroll
      for (int y = 0; y < tile_y + kBorder; ++y) {
        window[j][y] = pixel(y0 + y, threadIdx.x + j * block_size_x + fx);
      }
    }
#pragma unroll
    for (int fy = 0; fy < kFilter; ++fy) {
      float weight = filter[fy * kFilter + fx];
#pragma unroll
      for (int i = 0; i < tile_y; ++i) {
#pragma unroll
        for (int j = 0; j < tile_x; ++j) sum[i][j] += window[j][i + fy] * weight;
      }
    }
  }
#else
  int y0 = threadIdx.y;
  constexpr int kRowStep = block_size_y;
#pragma unroll 1
  for (int fy = 0; fy < kFilter; ++fy) {
#pragma unroll
    for (int fx = 0; fx < kFilter; ++fx) {
      float weight = filter[fy * kFilter + fx];
#pragma unroll
      for (int i = 0; i < tile_y; ++i) {
#pragma unroll
        for (int j = 0; j < tile_x; ++j) {
          sum[i][j] += pixel(y0 + i * kRowStep + fy, threadIdx.x + j * block_size_x + fx) * weight;
        }
      }
    }
  }
#endif

#pragma unroll
  for (int i = 0; i < tile_y; ++i) {
    int y = first_y + y0 + i * kRowStep;
#pragma unroll
    for (int j = 0; j < tile_x; ++j) {
      int x = first_x + threadIdx.x + j * block_size_x;
      if (x < width && y < height) out[y * width + x] = sum[i][j];
    }
  }
}

// One thread per pixel, 32 × 8 threads.
extern "C" __global__ void convolution_reference(const float* in, float* out, int width,
                                                 int height) {
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int fy = 0; fy < kFilter; ++fy) {
    for (int fx = 0; fx < kFilter; ++fx) {
      sum += in[(y + fy) * (width + kBorder) + x + fx] * filter[fy * kFilter + fx];
    }
  }
  out[y * width + x] = sum;
}
