// Kernels whose threads merge values, or must not (tests/advise).

// The largest value of each group, and its size.
extern "C" __global__ void group_peaks(const int* __restrict__ group,
                                       const int* __restrict__ value, int* peak, unsigned* size,
                                       int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicMax(&peak[group[i]], value[i]);
    atomicAdd(&size[group[i]], 1u);
  }
}

extern "C" __global__ void group_lows(const int* __restrict__ group, const int* __restrict__ value,
                                      int* low, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicMin(&low[group[i]], value[i]);
}

extern "C" __global__ void group_common_bits(const int* __restrict__ group,
                                             const unsigned* __restrict__ bits, unsigned* common,
                                             int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAnd(&common[group[i]], bits[i]);
}

// The last value of each group: updates that cannot be merged.
extern "C" __global__ void group_last(const int* __restrict__ group, const int* __restrict__ value,
                                      int* last, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicExch(&last[group[i]], value[i]);
}

// The old value of a maximum.
extern "C" __global__ void group_records(const int* __restrict__ group,
                                         const int* __restrict__ value, int* peak, int* before,
                                         int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    before[i] = atomicMax(&peak[group[i]], value[i]);
}

// A row of 48 words that all blocks update, and one word more.
extern "C" __global__ void columns_and_total(const int* __restrict__ value, unsigned* column,
                                             unsigned* total, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&column[i % 48], 1u);
    atomicOr(total, (unsigned)value[i]);
  }
}

// Each thread keeps the six smallest values it has seen, in an array with an index at run time.
extern "C" __global__ void keep_smallest(const float* __restrict__ in, float* __restrict__ out,
                                         int steps) {
  int threads = gridDim.x * blockDim.x, own = blockIdx.x * blockDim.x + threadIdx.x;
  float kept[6];
  for (int k = 0; k < 6; ++k) kept[k] = 3e38f;
  int largest = 0;
  for (int step = 0; step < steps; ++step) {
    float value = in[step * threads + own];
    if (value < kept[largest]) {
      kept[largest] = value;
      largest = 0;
      for (int k = 1; k < 6; ++k)
        if (kept[k] > kept[largest]) largest = k;
    }
  }
  for (int k = 0; k < 6; ++k) out[k * threads + own] = kept[k];
}

// Back substitution of a triangle in shared memory, by a block of one warp.
extern "C" __global__ void back_substitution(const float* __restrict__ in, float* __restrict__ out) {
  __shared__ float m[32][33];
  int t = threadIdx.x;
  for (int r = 0; r < 32; ++r) m[r][t] = in[(blockIdx.x * 32 + r) * 32 + t];
  float x = t + 1.0f;
  for (int k = 31; k > 0; --k) {
    float known = __shfl_sync(~0u, x, k);
    if (t < k) {
      for (int j = 0; j < k; ++j) x += __sinf(known * m[t][j]);
    }
    __syncwarp();
  }
  out[blockIdx.x * 32 + t] = x;
}

// One block cools a bar, from one array into the other and back, with a barrier after each step.
extern "C" __global__ void cool_bar(float* now, float* next, int n, int steps) {
  for (int step = 0; step < steps; ++step) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      float left = i > 0 ? now[i - 1] : 0.0f, right = i < n - 1 ? now[i + 1] : 0.0f;
      next[i] = now[i] + 0.2f * (left + right - 2.0f * now[i]);
    }
    __syncthreads();
    float* other = now;
    now = next;
    next = other;
  }
}

// The same with a loop that strides by the grid, of which there is one block.
extern "C" __global__ void cool_bar_of_grid(float* now, float* next, int n, int steps) {
  for (int step = 0; step < steps; ++step) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
      float left = i > 0 ? now[i - 1] : 0.0f, right = i < n - 1 ? now[i + 1] : 0.0f;
      next[i] = now[i] + 0.2f * (left + right - 2.0f * now[i]);
    }
    __syncthreads();
    float* other = now;
    now = next;
    next = other;
  }
}

// Each thread takes what is ever further away: no step stays within a warp after the fifth.
extern "C" __global__ void running_maximum(const int* __restrict__ in, int* __restrict__ out) {
  __shared__ int best[256];
  int t = threadIdx.x, own = blockIdx.x * 256 + t;
  best[t] = in[own];
  __syncthreads();
#pragma unroll
  for (int far = 1; far < 256; far *= 2) {
    int other = t >= far ? best[t - far] : best[t];
    __syncthreads();
    best[t] = max(best[t], other);
    __syncthreads();
  }
  out[own] = best[t];
}

// The largest value of a block, by halving in shared memory.
extern "C" __global__ void block_peak(const float* __restrict__ in, float* __restrict__ out) {
  __shared__ float best[1024];
  int t = threadIdx.x;
  best[t] = in[blockIdx.x * 1024 + t];
  __syncthreads();
  for (int half = 512; half > 0; half /= 2) {
    if (t < half) best[t] = fmaxf(best[t], best[t + half]);
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = best[0];
}

// The largest of the sums of all blocks.
extern "C" __global__ void largest_sum(const int* __restrict__ in, int* largest) {
  __shared__ int sums[256];
  int t = threadIdx.x;
  sums[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (t < half) sums[t] += sums[t + half];
    __syncthreads();
  }
  if (t == 0) atomicMax(largest, sums[0]);
}
