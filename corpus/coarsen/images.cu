// Image filters (kind sobel): bytes, borders, local arrays.

// Three early returns: beyond the image, on the border, where the gradient is small.
__global__ void sobel_returns(const float* __restrict__ in, float* __restrict__ out, int width,
                              int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int i = y * width + x;
  if (x == 0 || y == 0 || x == width - 1 || y == height - 1) {
    out[i] = -1.0f;
    return;
  }
  float gx = in[i + 1] - in[i - 1], gy = in[i + width] - in[i - width];
  float length = sqrtf(gx * gx + gy * gy);
  if (length < 0.3f) return;
  out[i] = length;
}

// The tile and its border in shared memory, clamped at the image's edge.
__global__ void sobel_tiled(const unsigned char* __restrict__ in, int* __restrict__ out, int width,
                            int height) {
  __shared__ unsigned char tile[10][20];
  for (int v = threadIdx.y; v < 10; v += 8) {
    for (int u = threadIdx.x; u < 18; u += 16) {
      int x = min(max(static_cast<int>(blockIdx.x) * 16 + u - 1, 0), width - 1);
      int y = min(max(static_cast<int>(blockIdx.y) * 8 + v - 1, 0), height - 1);
      tile[v][u] = in[y * width + x];
    }
  }
  __syncthreads();
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < width && y < height) {
    int u = threadIdx.x + 1, v = threadIdx.y + 1;
    int gx = tile[v - 1][u + 1] + 2 * tile[v][u + 1] + tile[v + 1][u + 1] - tile[v - 1][u - 1] -
             2 * tile[v][u - 1] - tile[v + 1][u - 1];
    int gy = tile[v + 1][u - 1] + 2 * tile[v + 1][u] + tile[v + 1][u + 1] - tile[v - 1][u - 1] -
             2 * tile[v - 1][u] - tile[v - 1][u + 1];
    out[y * width + x] = gx * gx + gy * gy;
  }
}

// Four channels per pixel, loaded and stored as one word.
__global__ void sobel_four_channels(const uchar4* __restrict__ in, uchar4* __restrict__ out, int width,
                                    int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || x >= width - 1 || y == 0 || y >= height - 1) return;
  uchar4 west = in[y * width + x - 1], east = in[y * width + x + 1];
  uchar4 north = in[(y - 1) * width + x], south = in[(y + 1) * width + x];
  out[y * width + x] = make_uchar4((abs(east.x - west.x) + abs(south.x - north.x)) / 2,
                                   (abs(east.y - west.y) + abs(south.y - north.y)) / 2,
                                   (abs(east.z - west.z) + abs(south.z - north.z)) / 2, 255);
}

// One-dimensional, with 64-bit indices in a grid-stride loop.
__global__ void sobel_flat(const float* __restrict__ in, float* __restrict__ out, long long width,
                           long long height) {
  long long step = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x; i < width * height;
       i += step) {
    long long x = i % width, y = i / width;
    float gradient = 0;
    if (x > 0 && x + 1 < width) {
      gradient += fabsf(in[i + 1] - in[i - 1]);
      if (y > 0 && y + 1 < height) gradient += fabsf(in[i + width] - in[i - width]);
    }
    out[i] = gradient;
  }
}

// The median of 3×3 by insertion into a local array: dynamic indices, data-dependent loops.
__global__ void median_sorted(const int* __restrict__ in, int* __restrict__ out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int sorted[9], count = 0;
#pragma unroll 1
  for (int v = max(y - 1, 0); v <= min(y + 1, height - 1); ++v) {
#pragma unroll 1
    for (int u = max(x - 1, 0); u <= min(x + 1, width - 1); ++u) {
      int value = in[v * width + u], at = count++;
      while (at > 0 && sorted[at - 1] > value) {
        sorted[at] = sorted[at - 1];
        --at;
      }
      sorted[at] = value;
    }
  }
  out[y * width + x] = sorted[count / 2];
}

// Three bytes per pixel to one float.
__global__ void grey_levels(const uchar3* __restrict__ in, float* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 0.299f * in[i].x + 0.587f * in[i].y + 0.114f * in[i].z;
}
