// Images, one float or byte per pixel, row by row.

constexpr int kRadius = 4;
__constant__ float kFilter[2 * kRadius + 1] = {0.02f, 0.05f, 0.12f, 0.19f, 0.24f,
                                               0.19f, 0.12f, 0.05f, 0.02f};

__device__ int clamp(int value, int low, int high) {
  return min(max(value, low), high);
}

// A 5×5 convolution with weights from memory and clamped edges.
__global__ void convolve(const float* __restrict__ in, const float* __restrict__ weights,
                         float* __restrict__ out, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float sum = 0;
  for (int dy = -2; dy <= 2; ++dy) {
    for (int dx = -2; dx <= 2; ++dx) {
      int u = clamp(x + dx, 0, width - 1), v = clamp(y + dy, 0, height - 1);
      sum += in[v * width + u] * weights[(dy + 2) * 5 + dx + 2];
    }
  }
  out[y * width + x] = sum;
}

// A separable filter along rows: a row of pixels with both halos in shared memory, weights in
// constant memory. Blocks of 128.
__global__ void filter_rows(const float* __restrict__ in, float* __restrict__ out, int width) {
  __shared__ float line[128 + 2 * kRadius];
  int x = blockIdx.x * 128 + threadIdx.x;
  const float* row = in + blockIdx.y * width;
  for (int k = threadIdx.x; k < 128 + 2 * kRadius; k += 128) {
    line[k] = row[clamp(static_cast<int>(blockIdx.x) * 128 + k - kRadius, 0, width - 1)];
  }
  __syncthreads();
  if (x >= width) return;
  float sum = 0;
#pragma unroll
  for (int k = 0; k <= 2 * kRadius; ++k) sum += line[threadIdx.x + k] * kFilter[k];
  out[blockIdx.y * width + x] = sum;
}

// The filter along columns: a register window slides down.
__global__ void filter_columns(const float* __restrict__ in, float* __restrict__ out, int width,
                               int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  float window[2 * kRadius + 1];
#pragma unroll
  for (int k = 0; k < 2 * kRadius; ++k) {
    window[k + 1] = in[clamp(k - kRadius, 0, height - 1) * width + x];
  }
  for (int y = 0; y < height; ++y) {
#pragma unroll
    for (int k = 0; k < 2 * kRadius; ++k) window[k] = window[k + 1];
    window[2 * kRadius] = in[min(y + kRadius, height - 1) * width + x];
    float sum = 0;
#pragma unroll
    for (int k = 0; k <= 2 * kRadius; ++k) sum += window[k] * kFilter[k];
    out[y * width + x] = sum;
  }
}

// A bilateral filter: weights by distance and by likeness through __expf.
__global__ void bilateral(const float* __restrict__ in, float* __restrict__ out, float sharpness,
                          int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  float centre = in[y * width + x], sum = 0, total = 0;
  for (int dy = -2; dy <= 2; ++dy) {
    for (int dx = -2; dx <= 2; ++dx) {
      int u = x + dx, v = y + dy;
      if (u < 0 || u >= width || v < 0 || v >= height) continue;
      float value = in[v * width + u], apart = value - centre;
      float weight = __expf(-0.25f * (dx * dx + dy * dy) - sharpness * apart * apart);
      sum += weight * value;
      total += weight;
    }
  }
  out[y * width + x] = sum / total;
}

// The median of 3×3 by a network of minima and maxima, in integers.
__device__ void exchange(int& a, int& b) {
  int low = min(a, b);
  b = max(a, b);
  a = low;
}

__global__ void median(const unsigned char* __restrict__ in, unsigned char* __restrict__ out,
                       int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  int v[9];
#pragma unroll
  for (int k = 0; k < 9; ++k) {
    int u = clamp(x + k % 3 - 1, 0, width - 1), w = clamp(y + k / 3 - 1, 0, height - 1);
    v[k] = in[w * width + u];
  }
#pragma unroll
  for (int pass = 0; pass < 5; ++pass) {
#pragma unroll
    for (int k = pass; k < 8; ++k) exchange(v[pass], v[k + 1]);
  }
  out[y * width + x] = static_cast<unsigned char>(v[4]);
}

// Sobel edges: integer differences and an integer square root by bisection.
__global__ void sobel(const unsigned char* __restrict__ in, unsigned char* __restrict__ out,
                      int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
  const unsigned char* p = in + y * width + x;
  int gx = p[1 - width] + 2 * p[1] + p[1 + width] - p[-1 - width] - 2 * p[-1] - p[width - 1];
  int gy =
      p[width - 1] + 2 * p[width] + p[width + 1] - p[-width - 1] - 2 * p[-width] - p[1 - width];
  int square = gx * gx + gy * gy, root = 0;
  for (int bit = 1 << 10; bit > 0; bit >>= 1) {
    if ((root + bit) * (root + bit) <= square) root += bit;
  }
  out[y * width + x] = static_cast<unsigned char>(min(root, 255));
}

// An integral image, first half: rows scanned by warps with shuffles.
__global__ void integral_rows(const unsigned char* __restrict__ in, unsigned* __restrict__ out,
                              int width, int height) {
  int lane = threadIdx.x % 32, row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (row >= height) return;
  unsigned carry = 0;
  for (int base = 0; base < width; base += 32) {
    int x = base + lane;
    unsigned value = x < width ? in[row * width + x] : 0;
    for (int delta = 1; delta < 32; delta *= 2) {
      unsigned below = __shfl_up_sync(0xffffffff, value, delta);
      if (lane >= delta) value += below;
    }
    value += carry;
    if (x < width) out[row * width + x] = value;
    carry = __shfl_sync(0xffffffff, value, 31);
  }
}

// Second half: columns summed in place, a thread each.
__global__ void integral_columns(unsigned* __restrict__ image, int width, int height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  unsigned sum = 0;
  for (int y = 0; y < height; ++y) {
    sum += image[y * width + x];
    image[y * width + x] = sum;
  }
}

// Bilinear resizing to any size: float coordinates, four gathers.
__global__ void resize(const float* __restrict__ in, float* __restrict__ out, int width, int height,
                       int new_width, int new_height) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= new_width || y >= new_height) return;
  float fx = (x + 0.5f) * width / new_width - 0.5f, fy = (y + 0.5f) * height / new_height - 0.5f;
  int x0 = static_cast<int>(floorf(fx)), y0 = static_cast<int>(floorf(fy));
  float tx = fx - x0, ty = fy - y0;
  int xa = clamp(x0, 0, width - 1), xb = clamp(x0 + 1, 0, width - 1);
  int ya = clamp(y0, 0, height - 1), yb = clamp(y0 + 1, 0, height - 1);
  float top = in[ya * width + xa] * (1 - tx) + in[ya * width + xb] * tx;
  float bottom = in[yb * width + xa] * (1 - tx) + in[yb * width + xb] * tx;
  out[y * new_width + x] = top * (1 - ty) + bottom * ty;
}

// Max pooling of k×k with stride s over planes (blockIdx.z), the place of the maximum kept.
__global__ void max_pool(const float* __restrict__ in, float* __restrict__ out,
                         int* __restrict__ place, int width, int height, int k, int s) {
  int out_width = (width - k) / s + 1, out_height = (height - k) / s + 1;
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= out_width || y >= out_height) return;
  const float* plane = in + blockIdx.z * width * height;
  float most = -1;
  int where = 0;
  for (int dy = 0; dy < k; ++dy) {
    for (int dx = 0; dx < k; ++dx) {
      int at = (y * s + dy) * width + x * s + dx;
      if (plane[at] > most) {
        most = plane[at];
        where = at;
      }
    }
  }
  int to = (blockIdx.z * out_height + y) * out_width + x;
  out[to] = most;
  place[to] = where;
}
