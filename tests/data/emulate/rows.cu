// Threads that access memory far from their neighbours', for the tests of the advice about it.
#include <math.h>

// A block per group of rows, whose threads take rows in turn and keep one result of each.
extern "C" __global__ void rows_of_block(const float* rows, float* best, int count, int length) {
  __shared__ float sums[1024];
  const float* own = rows + (size_t)blockIdx.x * count * length;
  for (int r = threadIdx.x; r < count; r += blockDim.x) {
    float sum = 0.0f;
    for (int k = 0; k < length; k++) sum += own[r * length + k] * own[r * length + k];
    sums[r] = sqrtf(sum);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    float most = sums[0];
    for (int r = 1; r < count; r++) most = fmaxf(most, sums[r]);
    best[blockIdx.x] = most;
  }
}

// The largest sum of adjacent elements of each row: each element decides with the sum before it.
extern "C" __global__ void largest_run(const int* rows, int* best, int count, int length) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count) return;
  int run = 0, most = 0;
  for (int k = 0; k < length; k++) {
    run = max(run + rows[(size_t)r * length + k], 0);
    most = max(most, run);
  }
  best[r] = most;
}

// The number of sorted keys that are smaller than each value.
extern "C" __global__ void rank_of(const int* keys, const int* values, int* ranks, int count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int value = values[i], low = 0, high = count;
  while (low < high) {
    int middle = (low + high) / 2;
    if (keys[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  ranks[i] = low;
}

// Cells of seven floats, which blocks of 16 × 16 threads change.
extern "C" __global__ void relax_cells(const float* in, float* out, int width, float rate) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  const float* cell = in + (y * width + x) * 7;
  float values[7], mean = 0.0f;
  for (int k = 0; k < 7; k++) {
    values[k] = cell[k];
    mean += values[k] / 7;
  }
  for (int k = 0; k < 7; k++) out[(y * width + x) * 7 + k] = values[k] + rate * (mean - values[k]);
}

// Each thread adds its row, weighed by the row's own sum, to one vector.
extern "C" __global__ void add_rows(const float* rows, float* sums, int count, int length) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count) return;
  float weight = 0.0f;
  for (int k = 0; k < length; k++) weight += rows[r * length + k];
  for (int k = 0; k < length; k++) atomicAdd(&sums[k], weight * rows[r * length + k]);
}

// Each thread adds up the vectors that its list names, one element at a time.
extern "C" __global__ void add_named(const int* starts, const int* names, const float* vectors, float* sums,
                                     int count, int length) {
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= count) return;
  for (int k = 0; k < length; k++) {
    float sum = 0.0f;
    for (int e = starts[r]; e < starts[r + 1]; e++) sum += vectors[names[e] * length + k];
    sums[r * length + k] = sum;
  }
}

// Distances of all pairs of rows, 8 × 8 of them in the registers of each thread.
extern "C" __global__ void distances_of_tiles(const float* left, const float* right, float* distances, int count,
                                              int length) {
  int x = (blockIdx.x * blockDim.x + threadIdx.x) * 8, y = (blockIdx.y * blockDim.y + threadIdx.y) * 8;
  float sums[8][8] = {};
#pragma unroll 1
  for (int k = 0; k < length; k++) {
    float a[8], b[8];
    for (int i = 0; i < 8; i++) {
      a[i] = left[k * count + y + i];
      b[i] = right[k * count + x + i];
    }
    for (int i = 0; i < 8; i++)
      for (int j = 0; j < 8; j++) sums[i][j] += fabsf(a[i] - b[j]);
  }
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) distances[(y + i) * count + x + j] = sums[i][j];
}
