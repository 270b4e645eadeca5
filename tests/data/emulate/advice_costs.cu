// Kernels for which an obvious change gains other than it seems: what the changed code still does,
// and what a change of the source has to look like.

// Threads along x are a row apart. A line has bytes of 32 lanes' rows, and L1 evicts it before they
// are used.
extern "C" __global__ void far_lanes(const unsigned char *__restrict__ kind,
                                     const float *__restrict__ a, const float *__restrict__ b,
                                     float *__restrict__ out, int rows, int columns) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= rows || j >= columns) return;
  int c = i * columns + j;
  out[c] = kind[c] * a[c] + b[c];
}

extern "C" __global__ void near_lanes(const unsigned char *__restrict__ kind,
                                      const float *__restrict__ a, const float *__restrict__ b,
                                      float *__restrict__ out, int rows, int columns) {
  int i = blockIdx.y * blockDim.y + threadIdx.y;
  int j = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= rows || j >= columns) return;
  int c = i * columns + j;
  out[c] = kind[c] * a[c] + b[c];
}

// Eight bits in a row are in one byte. The loop stores nothing.
extern "C" __global__ void bit_by_bit(const unsigned char *__restrict__ data,
                                      unsigned *__restrict__ out, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = 0;
  for (int k = 0; k < width; ++k) {
    int bit = i * width + k;
    value |= ((data[bit >> 3] >> (bit & 7)) & 1u) << k;
  }
  out[i] = value;
}

__device__ double sum_of_block(double v, double *part) {
  part[threadIdx.x] = v;
  __syncthreads();
  for (int s = 128; s > 0; s >>= 1) {
    if (threadIdx.x < s) part[threadIdx.x] += part[threadIdx.x + s];
    __syncthreads();
  }
  double sum = part[0];
  __syncthreads();
  return sum;
}

// Two sums of doubles.
extern "C" __global__ void two_sums(const double *__restrict__ a, const double *__restrict__ b,
                                    double *__restrict__ sums) {
  __shared__ double part[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  double x = a[i], y = b[i];
  double first = sum_of_block(x * y, part);
  double second = sum_of_block(y * y, part);
  if (threadIdx.x == 0) {
    atomicAdd(&sums[0], first);
    atomicAdd(&sums[1], second);
  }
}

// Threads beyond the end return before the place of a new barrier.
extern "C" __global__ void bins_of_pairs(const float *__restrict__ x, unsigned *__restrict__ bins,
                                         int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float own = x[i];
  for (int k = 1; k < 256; ++k) {
    float d = fabsf(own - x[(i + k) & 1023]);
    atomicAdd(&bins[min((int)(d * 64.0f), 63)], 1u);
  }
}

// Long arithmetic on one number per thread: how it is loaded does not matter.
extern "C" __global__ void count_steps(const unsigned *__restrict__ first,
                                       const unsigned *__restrict__ limits, unsigned *total,
                                       int tests) {
  unsigned n = first[blockIdx.x * blockDim.x + threadIdx.x];
  unsigned steps = 0;
  for (int t = 0; t < tests && n > 1; ++t) {
    unsigned limit = limits[t] + 400u;
    for (unsigned s = n % 64u + 400u; s < 2u * limit; s += 1u + (n >> 31)) {
      n = (n & 1u) ? n * 3u + 1u : n ^ (n >> 1);
      steps += n & 1u;
    }
  }
  if (steps & 1u) atomicAdd(total, 1u);
}

// A sorted list of the largest values, of a length that only the launch knows.
extern "C" __global__ void largest(const float *__restrict__ x, float *__restrict__ y, int n,
                                   int length) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int threads = gridDim.x * blockDim.x;
  float list[8];
  for (int j = 0; j < length; ++j) list[j] = -1.0f;
  for (int k = 0; k < n; ++k) {
    float v = x[k * threads + i];
    if (v <= list[length - 1]) continue;
    int j = length - 1;
    while (j > 0 && list[j - 1] < v) {
      list[j] = list[j - 1];
      --j;
    }
    list[j] = v;
  }
  for (int j = 0; j < length; ++j) y[j * threads + i] = list[j];
}

// Steps of a table in shared memory: each reads one row and stores the next.
extern "C" __global__ void steps_of_rows(const int *__restrict__ shifts, int *__restrict__ out,
                                         int steps, int columns) {
  extern __shared__ int rows[];
  int *now = rows, *next = rows + columns;
  for (int c = threadIdx.x; c < columns; c += blockDim.x) now[c] = c;
  __syncthreads();
  for (int k = 0; k < steps; ++k) {
    int shift = shifts[k];
    for (int c = threadIdx.x; c < columns; c += blockDim.x) {
      int best = now[c];
      if (c >= shift) best = max(best, now[c - shift] + k);
      next[c] = best;
    }
    __syncthreads();
    int *other = now;
    now = next;
    next = other;
  }
  for (int c = threadIdx.x; c < columns; c += blockDim.x) out[blockIdx.x * columns + c] = now[c];
}

// The sum decides when the walk ends.
extern "C" __global__ void until_full(const float *__restrict__ x, float *__restrict__ y, int n,
                                      int stride) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    sum += x[(size_t)((k * 977 + i * 13) & 4194303)];
    if (sum > 9000.0f) break;
  }
  y[i] = sum;
}

// The compiler's double sin() has a table of coefficients in global memory.
extern "C" __global__ void sines(const float *__restrict__ x, float *__restrict__ y, int n,
                                 int threads) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  double sum = 0;
  for (int k = 0; k < n; ++k) sum += sin((double)x[k * threads + i]);
  y[i] = sum;
}

// A window whose size is an argument, cut off at the borders.
extern "C" __global__ void window_mean(const float *__restrict__ x, float *__restrict__ y,
                                       int width, int height, int radius) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int j = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= width || j >= height) return;
  int x0 = max(i - radius, 0), x1 = min(i + radius, width - 1);
  int y0 = max(j - radius, 0), y1 = min(j + radius, height - 1);
  float sum = 0;
  for (int b = y0; b <= y1; ++b) {
    for (int a = x0; a <= x1; ++a) sum += x[b * width + a];
  }
  y[j * width + i] = sum / ((x1 - x0 + 1) * (y1 - y0 + 1));
}
