// Reductions and scans (kind reduce): barriers in uniform loops, shuffles, votes, atomics.

// Halving in shared memory.
__global__ void reduce_shared(const float* __restrict__ in, float* __restrict__ sums, int n) {
  __shared__ float partial[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  partial[t] = i < n ? in[i] : 0.0f;
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = partial[0];
}

// Neighbours first: the working threads are a growing distance apart.
__global__ void reduce_interleaved(const int* __restrict__ in, int* __restrict__ sums, int n) {
  __shared__ int partial[256];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  partial[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 1; step < blockDim.x; step *= 2) {
    if (t % (2 * step) == 0) partial[t] += partial[t + step];
    __syncthreads();
  }
  if (t == 0) sums[blockIdx.x] = partial[0];
}

// A grid-stride loop collects, dynamic shared memory reduces.
__global__ void reduce_grid_stride(const double* __restrict__ in, double* __restrict__ sums, int n) {
  extern __shared__ double partial[];
  double sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (unsigned half = blockDim.x >> 1; half; half >>= 1) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (!threadIdx.x) sums[blockIdx.x] = partial[0];
}

// Four values per thread through a 128-bit load, as the OpenCL sample has it.
__global__ void reduce_four(const int4* __restrict__ in, int* __restrict__ sums) {
  __shared__ int4 partial[64];
  int t = threadIdx.x;
  partial[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) {
      int4 a = partial[t], b = partial[t + half];
      partial[t] = make_int4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
    }
    __syncthreads();
  }
  if (t == 0) {
    int4 sum = partial[0];
    sums[blockIdx.x] = sum.x + sum.y + sum.z + sum.w;
  }
}

// Unrolled by template parameters; two values per thread on loading.
template <typename Value, int kBlock>
__global__ void __launch_bounds__(kBlock) reduce_template(const Value* __restrict__ in,
                                                          Value* __restrict__ sums, int n) {
  __shared__ Value partial[kBlock];
  int t = threadIdx.x, i = blockIdx.x * 2 * kBlock + t;
  Value value = 0;
  if (i < n) value = in[i];
  if (i + kBlock < n) value += in[i + kBlock];
  partial[t] = value;
  __syncthreads();
  if (kBlock >= 256) {
    if (t < 128) partial[t] += partial[t + 128];
    __syncthreads();
  }
  if (kBlock >= 128) {
    if (t < 64) partial[t] += partial[t + 64];
    __syncthreads();
  }
  if (t < 32) partial[t] += partial[t + 32];
  __syncthreads();
  if (t == 0) {
    Value sum = 0;
    for (int k = 0; k < 32; ++k) sum += partial[k];
    sums[blockIdx.x] = sum;
  }
}
template __global__ void reduce_template<float, 128>(const float*, float*, int);

// The first warp adds the warps' sums by shuffles inside a branch that only it takes.
__global__ void reduce_first_warp(const int* __restrict__ in, int* __restrict__ sums, int n) {
  __shared__ int of_warp[4];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int sum = i < n ? in[i] : 0;
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffff, sum, offset);
  if (lane == 0) of_warp[warp] = sum;
  __syncthreads();
  if (warp == 0) {
    sum = lane < 4 ? of_warp[lane] : 0;
    for (int offset = 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0) sums[blockIdx.x] = sum;
  }
}

// Two rows of the block share a warp: rows merged along y leave other rows in it.
__global__ void reduce_half_warps(const int* __restrict__ in, int* __restrict__ sums) {
  int row = blockIdx.x * 8 + threadIdx.y;
  int sum = in[row * 16 + threadIdx.x];
  int across = __shfl_xor_sync(0xffffffff, sum, 16);
  sum = 3 * sum + across;
  for (int offset = 8; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset, 16);
  if (threadIdx.x == 0) sums[row] = sum;
}

// Integer atomics straight into one word.
__global__ void reduce_atomic(const int* __restrict__ in, int* __restrict__ sum, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, in[i]);
}

// Float atomics on whole numbers, whose sum is exact in any order.
__global__ void reduce_atomic_float(const int* __restrict__ in, float* __restrict__ sums, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&sums[i % 8], static_cast<float>(in[i]));
}

// The block that takes the last ticket adds up all blocks' sums.
__global__ void reduce_last_block(const int* __restrict__ in, volatile int* sums, unsigned* result,
                                  int n) {
  __shared__ int partial[64];
  __shared__ bool last;
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  partial[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int half = 32; half > 0; half /= 2) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }
  if (t == 0) {
    sums[blockIdx.x] = partial[0];
    __threadfence();
    last = atomicAdd(&result[1], 1u) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && t == 0) {
    unsigned total = 0;
    for (int k = 0; k < gridDim.x; ++k) total += sums[k];
    result[0] = total;
  }
}

// Sums of columns: rows of the block take turns, then meet in shared memory.
__global__ void reduce_columns(const float* __restrict__ in, float* __restrict__ sums, int width,
                               int height) {
  __shared__ float partial[8][32];
  int x = blockIdx.x * 32 + threadIdx.x;
  int rows = (height + gridDim.y - 1) / gridDim.y, begin = blockIdx.y * rows;
  int end = min(begin + rows, height);
  float sum = 0;
  if (x < width) {
    for (int y = begin + threadIdx.y; y < end; y += 8) sum += in[y * width + x];
  }
  partial[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y == 0 && x < width) {
    for (int k = 1; k < 8; ++k) sum += partial[k][threadIdx.x];
    sums[blockIdx.y * width + x] = sum;
  }
}

// An inclusive scan per block after Hillis and Steele, between two buffers.
__global__ void scan_steps(const int* __restrict__ in, int* __restrict__ out, int n) {
  __shared__ int values[2][128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t, from = 0;
  values[0][t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 1; step < 128; step *= 2) {
    int value = values[from][t];
    if (t >= step) value += values[from][t - step];
    from ^= 1;
    values[from][t] = value;
    __syncthreads();
  }
  if (i < n) out[i] = values[from][t];
}

// A scan within warps by shuffles from lower lanes.
__global__ void scan_warp(const int* __restrict__ in, int* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  int value = i < n ? in[i] : 0;
  for (int step = 1; step < 32; step *= 2) {
    int lower = __shfl_up_sync(0xffffffff, value, step);
    if (lane >= step) value += lower;
  }
  if (i < n) out[i] = value;
}

// Counts of byte values modulo 32 by shared atomics.
__global__ void histogram_shared(const unsigned char* __restrict__ bytes, unsigned* __restrict__ counts,
                                 int n) {
  __shared__ unsigned bins[32];
  if (threadIdx.x < 32) bins[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&bins[bytes[i] & 31], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 32) atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

// Each warp votes once and its first lane writes the count.
__global__ void count_votes(const int* __restrict__ in, unsigned* __restrict__ counts, int n, int limit) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned votes = __ballot_sync(0xffffffff, i < n && in[i] < limit);
  if ((threadIdx.x & 31) == 0) counts[i / 32] = __popc(votes) * 100 + __ffs(votes);
}
