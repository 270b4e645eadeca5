// Block shapes (see shapes.cu) of what is done to images and planes: bytes, halos, gathers, tables in
// shared memory, sums across a block. The grid covers `width` by `height` threads, unless said.

// A step of the game of life, a byte per cell; the field is a torus.
__global__ void shape_life(const unsigned char* __restrict__ in, unsigned char* __restrict__ out,
                           int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int left = x == 0 ? width - 1 : x - 1, right = x == width - 1 ? 0 : x + 1;
  const unsigned char* above = in + (y == 0 ? height - 1 : y - 1) * width;
  const unsigned char* here = in + y * width;
  const unsigned char* below = in + (y == height - 1 ? 0 : y + 1) * width;
  int sum = (above[left] & 1) + (above[x] & 1) + (above[right] & 1) + (here[left] & 1) +
            (here[right] & 1) + (below[left] & 1) + (below[x] & 1) + (below[right] & 1);
  out[y * width + x] = sum == 3 || (sum == 2 && (here[x] & 1));
}

// A bilateral filter of 5×5: weights by distance and by likeness.
__global__ void shape_bilateral(const float* __restrict__ in, float* __restrict__ out, int width,
                                int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float middle = in[y * width + x], sum = 0, weights = 0;
  for (int dy = -2; dy <= 2; ++dy) {
    for (int dx = -2; dx <= 2; ++dx) {
      float value = in[min(max(y + dy, 0), height - 1) * width + min(max(x + dx, 0), width - 1)];
      float away = value - middle;
      float weight = __expf(-0.2f * (dx * dx + dy * dy) - 8.0f * away * away);
      sum += weight * value;
      weights += weight;
    }
  }
  out[y * width + x] = sum / weights;
}

// An image turned about its middle, bilinear: rows of the block read along slanted lines.
__global__ void shape_rotate(const float* __restrict__ in, float* __restrict__ out, int width,
                             int height, float cosine, float sine) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float u = x - 0.5f * width, v = y - 0.5f * height;
  float fx = cosine * u - sine * v + 0.5f * width, fy = sine * u + cosine * v + 0.5f * height;
  int ix = floorf(fx), iy = floorf(fy);
  float value = 0;
  if (ix >= 0 && iy >= 0 && ix < width - 1 && iy < height - 1) {
    float ax = fx - ix, ay = fy - iy;
    const float* from = in + iy * width + ix;
    value = (1 - ay) * ((1 - ax) * from[0] + ax * from[1]) +
            ay * ((1 - ax) * from[width] + ax * from[width + 1]);
  }
  out[y * width + x] = value;
}

// A 5×5 mean from a tile with a halo of two in dynamic shared memory, which the block's shape sizes.
__global__ void shape_halo(const float* __restrict__ in, float* __restrict__ out, int width,
                           int height) {
  extern __shared__ float tile[];
  int across = blockDim.x + 4, down = blockDim.y + 4;
  int left = blockIdx.x * blockDim.x - 2, top = blockIdx.y * blockDim.y - 2;
  for (int ty = threadIdx.y; ty < down; ty += blockDim.y) {
    int row = min(max(top + ty, 0), height - 1) * width;
    for (int tx = threadIdx.x; tx < across; tx += blockDim.x) {
      tile[ty * across + tx] = in[row + min(max(left + tx, 0), width - 1)];
    }
  }
  __syncthreads();
  int x = left + 2 + threadIdx.x, y = top + 2 + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
#pragma unroll
  for (int dy = 0; dy < 5; ++dy) {
#pragma unroll
    for (int dx = 0; dx < 5; ++dx) sum += tile[(threadIdx.y + dy) * across + threadIdx.x + dx];
  }
  out[y * width + x] = sum * 0.04f;
}

// A transpose through dynamic shared memory: read by rows of the tile, written by its columns.
__global__ void shape_turn(const float* __restrict__ in, float* __restrict__ out, int width,
                           int height) {
  extern __shared__ float tile[];
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) tile[threadIdx.y * blockDim.x + threadIdx.x] = in[y * width + x];
  __syncthreads();
  int number = threadIdx.y * blockDim.x + threadIdx.x;
  int ty = number % blockDim.y, tx = number / blockDim.y;
  x = blockIdx.x * blockDim.x + tx;
  y = blockIdx.y * blockDim.y + ty;
  if (x < width && y < height) out[x * height + y] = tile[ty * blockDim.x + tx];
}

// 64 bins per block in shared memory, added to the image's at its end. A thread takes eight rows.
__global__ void shape_histogram(const unsigned char* __restrict__ in, int* __restrict__ bins,
                                int width, int height) {
  __shared__ int own[64];
  int number = threadIdx.y * blockDim.x + threadIdx.x;
  for (int k = number; k < 64; k += blockDim.x * blockDim.y) own[k] = 0;
  __syncthreads();
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  for (int k = 0; k < 8; ++k) {
    int y = (blockIdx.y * 8 + k) * blockDim.y + threadIdx.y;
    if (x < width && y < height) atomicAdd(&own[in[y * width + x] >> 2], 1);
  }
  __syncthreads();
  for (int k = number; k < 64; k += blockDim.x * blockDim.y) atomicAdd(&bins[k], own[k]);
}

// Along rows, 17 taps with weights in constant memory.
__constant__ float kTaps[17] = {0.01f, 0.02f, 0.03f, 0.04f, 0.06f, 0.08f, 0.1f,  0.12f, 0.14f,
                                0.12f, 0.1f,  0.08f, 0.06f, 0.04f, 0.03f, 0.02f, 0.01f};

__global__ void shape_blur_rows(const float* __restrict__ in, float* __restrict__ out, int width,
                                int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k < 17; ++k) {
    sum += kTaps[k] * in[y * width + min(max(x + k - 8, 0), width - 1)];
  }
  out[y * width + x] = sum;
}

// Gray from three interleaved bytes.
__global__ void shape_gray(const unsigned char* __restrict__ in, unsigned char* __restrict__ out,
                           int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const unsigned char* from = in + 3 * (y * width + x);
  out[y * width + x] = (77 * from[0] + 151 * from[1] + 28 * from[2]) >> 8;
}

// A 7-point stencil through a volume: a thread walks down the planes, with the last ones in registers.
__global__ void shape_volume(const float* __restrict__ in, float* __restrict__ out, int width,
                             int height, int depth) {
  int x = blockIdx.x * blockDim.x + threadIdx.x + 1, y = blockIdx.y * blockDim.y + threadIdx.y + 1;
  if (x >= width - 1 || y >= height - 1) return;
  int plane = width * height, i = y * width + x;
  float before = in[i], here = in[i + plane];
  for (int z = 1; z < depth - 1; ++z) {
    i += plane;
    float next = in[i + plane];
    out[i] = 0.4f * here +
             0.1f * (before + next + in[i - 1] + in[i + 1] + in[i - width] + in[i + width]);
    before = here;
    here = next;
  }
}

// y = A·x, where a block takes as many columns as it is wide and 32 rows for each thread of its
// height; what lies in a row is added by shuffles where a warp is that wide, else with atomics.
__global__ void shape_vector(const float* __restrict__ a, const float* __restrict__ x,
                             float* __restrict__ y, int columns, int rows) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  float factor = column < columns ? x[column] : 0;
  int wide = min(blockDim.x, 32);
  for (int k = 0; k < 32; ++k) {
    int row = (blockIdx.y * 32 + k) * blockDim.y + threadIdx.y;
    float sum = column < columns && row < rows ? factor * a[row * columns + column] : 0;
    for (int step = wide / 2; step > 0; step /= 2) sum += __shfl_down_sync(~0u, sum, step, wide);
    if (threadIdx.x % wide == 0 && row < rows) atomicAdd(&y[row], sum);
  }
}

// The greatest of each column: threads of a column go down it together, then halve what is left in
// dynamic shared memory. The grid covers the width, and has one block in y.
__global__ void shape_column_max(const float* __restrict__ in, float* __restrict__ out, int width,
                                 int height) {
  extern __shared__ float tile[];
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  float most = -1e30f;
  if (x < width) {
    for (int y = threadIdx.y; y < height; y += blockDim.y) most = fmaxf(most, in[y * width + x]);
  }
  tile[threadIdx.y * blockDim.x + threadIdx.x] = most;
  for (int half = blockDim.y / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.y < half) {
      float* own = &tile[threadIdx.y * blockDim.x + threadIdx.x];
      *own = fmaxf(*own, own[half * blockDim.x]);
    }
  }
  if (threadIdx.y == 0 && x < width) out[x] = tile[threadIdx.x];
}
