// Kernels that are right for any two-dimensional block: what shape is fastest depends on how they
// reach memory. The grid covers `width` by `height` threads, unless said.

// A transpose straight from global to global memory: rows of the block read, columns write.
__global__ void shape_transpose(const float* __restrict__ in, float* __restrict__ out, int width,
                                int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

// The 5-point Laplacian: neighbours hit the cache as far as the block's shape lets them.
__global__ void shape_laplace(const float* __restrict__ in, float* __restrict__ out, int width,
                              int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int i = y * width + x;
  float value = in[i];
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
    value += 0.1f * (in[i - 1] + in[i + 1] + in[i - width] + in[i + width] - 4.0f * value);
  }
  out[i] = value;
}

// A 9-point stencil in double precision.
__global__ void shape_nine(const double* __restrict__ in, double* __restrict__ out, int width,
                           int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int i = y * width + x;
  double value = in[i];
  if (x > 0 && x < width - 1 && y > 0 && y < height - 1) {
    double sides = in[i - 1] + in[i + 1] + in[i - width] + in[i + width];
    double corners = in[i - width - 1] + in[i - width + 1] + in[i + width - 1] + in[i + width + 1];
    value = 0.5 * value + 0.1 * sides + 0.025 * corners;
  }
  out[i] = value;
}

// A 7×7 convolution with weights in constant memory and clamped edges.
constexpr int kRadius = 3;
__constant__ float kWeights[7] = {0.05f, 0.1f, 0.2f, 0.3f, 0.2f, 0.1f, 0.05f};

__global__ void shape_convolve(const float* __restrict__ in, float* __restrict__ out, int width,
                               int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
#pragma unroll
  for (int dy = -kRadius; dy <= kRadius; ++dy) {
    const float* row = in + min(max(y + dy, 0), height - 1) * width;
#pragma unroll
    for (int dx = -kRadius; dx <= kRadius; ++dx) {
      sum += row[min(max(x + dx, 0), width - 1)] * kWeights[dy + kRadius] * kWeights[dx + kRadius];
    }
  }
  out[y * width + x] = sum;
}

// C = A·B without tiles, an element per thread; C is `width` by `height`.
__global__ void shape_product(const float* __restrict__ a, const float* __restrict__ b,
                              float* __restrict__ c, int width, int height, int depth) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int k = 0; k < depth; ++k) sum += a[y * depth + k] * b[k * width + x];
  c[y * width + x] = sum;
}

// Two steps of heat in a tile of shared memory that the block's shape sizes: (x + 4) by (y + 4)
// floats twice, with a halo of two that all threads fetch together.
__global__ void shape_tile(const float* __restrict__ in, float* __restrict__ out, int width,
                           int height) {
  extern __shared__ float shared[];
  int across = blockDim.x + 4, down = blockDim.y + 4;
  float *now = shared, *next = shared + across * down;
  int x0 = blockIdx.x * blockDim.x - 2, y0 = blockIdx.y * blockDim.y - 2;
  int thread = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
  for (int k = thread; k < across * down; k += threads) {
    int x = x0 + k % across, y = y0 + k / across;
    bool inside = x >= 0 && x < width && y >= 0 && y < height;
    now[k] = inside ? in[y * width + x] : 0.0f;
  }
  __syncthreads();
  for (int k = thread; k < across * down; k += threads) {
    int x = k % across, y = k / across;
    bool rim = x == 0 || y == 0 || x == across - 1 || y == down - 1;
    float value = now[k];
    if (!rim) {
      value += 0.125f * (now[k - 1] + now[k + 1] + now[k - across] + now[k + across] - 4 * value);
    }
    next[k] = value;
  }
  __syncthreads();
  int x = x0 + 2 + threadIdx.x, y = y0 + 2 + threadIdx.y;
  if (x >= width || y >= height) return;
  int k = (threadIdx.y + 2) * across + threadIdx.x + 2;
  float value = next[k];
  value += 0.125f * (next[k - 1] + next[k + 1] + next[k - across] + next[k + across] - 4 * value);
  out[y * width + x] = value;
}

// Sums of columns over strips of `rows` rows each: a thread per column and strip.
__global__ void shape_columns(const float* __restrict__ in, float* __restrict__ out, int width,
                              int height, int rows) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int k = 0; k < rows; ++k) sum += in[(y * rows + k) * width + x];
  out[y * width + x] = sum;
}

// y = A·x by rows: the threads of a row of the block share a row of A and add up in shared memory
// (a float per thread). The grid covers the rows alone.
__global__ void shape_rows(const float* __restrict__ a, const float* __restrict__ x,
                           float* __restrict__ y, int columns, int rows) {
  extern __shared__ float shared[];
  int row = blockIdx.y * blockDim.y + threadIdx.y;
  float* sums = shared + threadIdx.y * blockDim.x;
  float sum = 0;
  if (row < rows) {
    for (int k = threadIdx.x; k < columns; k += blockDim.x) sum += a[row * columns + k] * x[k];
  }
  sums[threadIdx.x] = sum;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0 && row < rows) y[row] = sums[0];
}

// The Mandelbrot set: the shape decides which pixels wait for one another.
__global__ void shape_mandelbrot(int* __restrict__ out, int width, int height, int limit) {
  int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px >= width || py >= height) return;
  float cx = -2.2f + 3.0f * px / width, cy = -1.5f + 3.0f * py / height;
  float x = 0, y = 0;
  int k = 0;
  while (k < limit && x * x + y * y < 4.0f) {
    float t = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = t;
    ++k;
  }
  out[py * width + px] = k;
}

// Bilinear resizing: the grid covers the new image, four gathers from the old one.
__global__ void shape_resize(const float* __restrict__ in, float* __restrict__ out, int width,
                             int height, int old_width, int old_height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float fx = (x + 0.5f) * old_width / width - 0.5f, fy = (y + 0.5f) * old_height / height - 0.5f;
  int left = static_cast<int>(floorf(fx)), top = static_cast<int>(floorf(fy));
  float tx = fx - left, ty = fy - top;
  int xa = min(max(left, 0), old_width - 1), xb = min(max(left + 1, 0), old_width - 1);
  int ya = min(max(top, 0), old_height - 1), yb = min(max(top + 1, 0), old_height - 1);
  float upper = in[ya * old_width + xa] * (1 - tx) + in[ya * old_width + xb] * tx;
  float lower = in[yb * old_width + xa] * (1 - tx) + in[yb * old_width + xb] * tx;
  out[y * width + x] = upper * (1 - ty) + lower * ty;
}
