// Reductions: every way of making one value from many.

constexpr unsigned kAll = 0xffffffff;

// A sum per block by halving in shared memory; blockDim.x is a power of two, in dynamic shared
// memory.
__global__ void sum_shared(const float* __restrict__ in, float* __restrict__ out, int n) {
  extern __shared__ float partial[];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += in[i];
  }
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

// A sum per block by shuffles: within warps, then once more over the warps' sums.
__global__ void sum_shuffle(const float* __restrict__ in, float* __restrict__ out, int n) {
  __shared__ float partial[32];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += in[i];
  }
  for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(kAll, sum, delta);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x < 32) {
    sum = threadIdx.x < blockDim.x / 32 ? partial[threadIdx.x] : 0.0f;
    for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(kAll, sum, delta);
    if (threadIdx.x == 0) out[blockIdx.x] = sum;
  }
}

// A sum of integers into one word with one atomic per thread, which the compiler joins per warp.
__global__ void sum_atomic(const unsigned* __restrict__ in, unsigned* __restrict__ total, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(total, in[i]);
}

// A sum of floats with an atomic per warp: the order of the additions is the hardware's.
__global__ void sum_atomic_float(const float* __restrict__ in, float* __restrict__ total, int n) {
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    sum += in[i];
  }
  for (int delta = 16; delta > 0; delta /= 2) sum += __shfl_down_sync(kAll, sum, delta);
  if (threadIdx.x % 32 == 0) atomicAdd(total, sum);
}

// Two levels in one launch: the block that takes the last ticket adds all blocks' sums, always in
// the same order. Fences, an atomic ticket, a block-wide decision.
__global__ void sum_last_block(const double* __restrict__ in, volatile double* partial,
                               double* total, unsigned* ticket, int n) {
  __shared__ double shared[256];
  __shared__ bool last;
  double sum = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += in[i];
  shared[threadIdx.x] = sum;
  __syncthreads();
  for (int half = 128; half > 0; half /= 2) {
    if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = shared[0];
    __threadfence();
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last && threadIdx.x == 0) {
    double all = 0;
    for (int block = 0; block < gridDim.x; ++block) all += partial[block];
    *total = all;
  }
}

// Sums of segments of different lengths (given by their starts), a warp per segment, with the
// greatest and least values too.
__global__ void sum_segments(const int* __restrict__ start, const float* __restrict__ in,
                             float3* __restrict__ out, int segments) {
  int lane = threadIdx.x % 32;
  int segment = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (segment >= segments) return;
  float sum = 0, least = 1e30f, most = -1e30f;
  for (int i = start[segment] + lane; i < start[segment + 1]; i += 32) {
    float value = in[i];
    sum += value;
    least = fminf(least, value);
    most = fmaxf(most, value);
  }
  for (int mask = 16; mask > 0; mask /= 2) {
    sum += __shfl_xor_sync(kAll, sum, mask);
    least = fminf(least, __shfl_xor_sync(kAll, least, mask));
    most = fmaxf(most, __shfl_xor_sync(kAll, most, mask));
  }
  if (lane == 0) out[segment] = make_float3(sum, least, most);
}

// The place of the greatest value, the first among equals: pairs through shuffles and a 64-bit
// atomicMax over blocks (value in the high half, complement of the place in the low one).
__global__ void argmax(const unsigned* __restrict__ in, unsigned long long* __restrict__ best,
                       int n) {
  unsigned long long mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned long long key =
        static_cast<unsigned long long>(in[i]) << 32 | ~static_cast<unsigned>(i);
    mine = key > mine ? key : mine;
  }
  for (int mask = 16; mask > 0; mask /= 2) {
    unsigned long long other = __shfl_xor_sync(kAll, mine, mask);
    mine = other > mine ? other : mine;
  }
  if (threadIdx.x % 32 == 0) atomicMax(best, mine);
}

// Eight reductions per warp in one instruction each: REDUX in all its forms.
__global__ void warp_redux(const int* __restrict__ in, int* __restrict__ out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] - 500 : 0;
  int bits = static_cast<int>(static_cast<unsigned>(value) * 2654435761u);
  int results[8] = {
      __reduce_add_sync(kAll, value),
      __reduce_min_sync(kAll, value),
      __reduce_max_sync(kAll, value),
      static_cast<int>(__reduce_min_sync(kAll, static_cast<unsigned>(value))),
      static_cast<int>(__reduce_max_sync(kAll, static_cast<unsigned>(value))),
      static_cast<int>(__reduce_and_sync(kAll, static_cast<unsigned>(bits | 0x00ff00ff))),
      static_cast<int>(__reduce_or_sync(kAll, static_cast<unsigned>(bits & 0x0ff00ff0))),
      static_cast<int>(__reduce_xor_sync(kAll, static_cast<unsigned>(bits))),
  };
  if (threadIdx.x % 32 == 0) {
    for (int k = 0; k < 8; ++k) out[i / 32 * 8 + k] = results[k];
  }
}

// A dot product in double precision per block of 128 threads; the multiply-add is DFMA.
__global__ void dot_f64(const double* __restrict__ x, const double* __restrict__ y,
                        double* __restrict__ out, int n) {
  __shared__ double partial[4];
  double sum = 0;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) sum += x[i] * y[i];
  for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(kAll, sum, mask);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = (partial[0] + partial[1]) + (partial[2] + partial[3]);
}
