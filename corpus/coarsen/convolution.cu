// Convolutions (kind convolution): constant masks, borders, tiles with a halo.

__constant__ float row_weights[9] = {0.05f, 0.09f, 0.12f, 0.15f, 0.18f, 0.15f, 0.12f, 0.09f, 0.05f};

// Along a row with weights in constant memory; samples beyond the ends are skipped.
__global__ void convolution_row(const float* __restrict__ in, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float sum = 0;
  for (int k = -4; k <= 4; ++k) {
    if (i + k < 0 || i + k >= n) continue;
    sum += row_weights[k + 4] * in[i + k];
  }
  out[i] = sum;
}

// In a plane, the mask in global memory and its side an argument; coordinates are clamped.
__global__ void convolution_plane(const float* __restrict__ in, const float* __restrict__ mask,
                                  float* __restrict__ out, int width, int height, int side) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) {
    float sum = 0;
    for (int v = 0; v < side; ++v) {
      for (int u = 0; u < side; ++u) {
        int from_x = min(max(x + u - side / 2, 0), width - 1);
        int from_y = min(max(y + v - side / 2, 0), height - 1);
        sum += mask[v * side + u] * in[from_y * width + from_x];
      }
    }
    out[y * width + x] = sum;
  }
}

// A tile with its halo in shared memory; the bounds check comes after the barrier.
__global__ void convolution_tiled(const float* __restrict__ in, float* __restrict__ out, int width,
                                  int height) {
  constexpr int kSide = 16, kRadius = 2, kTile = kSide + 2 * kRadius;
  __shared__ float tile[kTile][kTile];
  int x0 = blockIdx.x * kSide - kRadius, y0 = blockIdx.y * kSide - kRadius;
  for (int k = threadIdx.y * kSide + threadIdx.x; k < kTile * kTile; k += kSide * kSide) {
    int x = x0 + k % kTile, y = y0 + k / kTile;
    bool inside = x >= 0 && x < width && y >= 0 && y < height;
    tile[k / kTile][k % kTile] = inside ? in[y * width + x] : 0.0f;
  }
  __syncthreads();
  int x = blockIdx.x * kSide + threadIdx.x, y = blockIdx.y * kSide + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
#pragma unroll
  for (int v = 0; v < 2 * kRadius + 1; ++v) {
#pragma unroll
    for (int u = 0; u < 2 * kRadius + 1; ++u) {
      sum += tile[threadIdx.y + v][threadIdx.x + u] * row_weights[u + 2] * row_weights[v + 2];
    }
  }
  out[y * width + x] = sum;
}

// One thread per pixel of a flat image of integers: row and column by division, clipped mask.
__global__ void convolution_flat(const int* __restrict__ in, const int* __restrict__ mask,
                                 int* __restrict__ out, int width, int height, int mask_width,
                                 int mask_height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= width * height) return;
  int x = i % width, y = i / width;
  int left = max(x - (mask_width - 1) / 2, 0), right = min(left + mask_width, width);
  int top = max(y - (mask_height - 1) / 2, 0), bottom = min(top + mask_height, height);
  int sum = 0, row = 0;
  for (int v = top; v < bottom; ++v, row += mask_width) {
    for (int u = left; u < right; ++u) sum += in[v * width + u] * mask[row + u - left];
  }
  out[i] = sum;
}

// Along columns, the radius a template parameter.
template <int kRadius>
__global__ void convolution_columns(const float* __restrict__ in, float* __restrict__ out, int width,
                                    int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  for (int y = blockIdx.y * blockDim.y + threadIdx.y; y < height; y += gridDim.y * blockDim.y) {
    float sum = 0;
#pragma unroll
    for (int k = -kRadius; k <= kRadius; ++k) {
      int from = y + k;
      if (from >= 0 && from < height) sum += in[from * width + x] / (1 + k * k);
    }
    out[y * width + x] = sum;
  }
}
template __global__ void convolution_columns<3>(const float*, float*, int, int);
