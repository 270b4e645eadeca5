// Sorting.

constexpr unsigned kAll = 0xffffffff;

__device__ void order(int& a, int& b, bool ascending) {
  if ((a > b) == ascending) {
    int t = a;
    a = b;
    b = t;
  }
}

// Bitonic sort of 2·blockDim.x keys per block in dynamic shared memory; the rest of the last block
// is padded with the greatest key.
__global__ void bitonic(int* __restrict__ keys, int n) {
  extern __shared__ int shared[];
  int count = 2 * blockDim.x, base = blockIdx.x * count;
  for (int k = threadIdx.x; k < count; k += blockDim.x) {
    shared[k] = base + k < n ? keys[base + k] : 0x7fffffff;
  }
  for (int size = 2; size <= count; size *= 2) {
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      int low = 2 * threadIdx.x - (threadIdx.x & (stride - 1));
      order(shared[low], shared[low + stride], (low & size) == 0);
    }
  }
  __syncthreads();
  for (int k = threadIdx.x; k < count; k += blockDim.x) {
    if (base + k < n) keys[base + k] = shared[k];
  }
}

// Batcher's odd-even merge sort of keys with values, 256 per block of 128 threads.
__global__ void odd_even_merge(float* __restrict__ keys, int* __restrict__ values) {
  constexpr int kCount = 256;
  __shared__ float key[kCount];
  __shared__ int value[kCount];
  int t = threadIdx.x, base = blockIdx.x * kCount;
  for (int k = t; k < kCount; k += 128) {
    key[k] = keys[base + k];
    value[k] = values[base + k];
  }
  for (int size = 2; size <= kCount; size *= 2) {
    int offset = t & (size / 2 - 1);
    for (int stride = size / 2; stride > 0; stride /= 2) {
      __syncthreads();
      int low = 2 * t - (t & (stride - 1)), high = low + stride;
      if (stride < size / 2) {  // every round after the first leaves the outermost keys alone
        low -= stride;
        high -= stride;
        if (offset < stride) continue;
      }
      if (key[low] > key[high]) {
        float k = key[low];
        key[low] = key[high];
        key[high] = k;
        int v = value[low];
        value[low] = value[high];
        value[high] = v;
      }
    }
  }
  __syncthreads();
  for (int k = t; k < kCount; k += 128) {
    keys[base + k] = key[k];
    values[base + k] = value[k];
  }
}

// A pass of radix sort, first half: how often each 4-bit digit occurs in the block.
__global__ void radix_count(const unsigned* __restrict__ keys, unsigned* __restrict__ counts,
                            int shift, int n) {
  __shared__ unsigned local[16];
  if (threadIdx.x < 16) local[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&local[keys[i] >> shift & 15], 1u);
  __syncthreads();
  if (threadIdx.x < 16) counts[threadIdx.x * gridDim.x + blockIdx.x] = local[threadIdx.x];
}

// Second half, for one block and any n: a stable scatter. Lanes with the same digit find one
// another with MATCH, warps are ordered by per-warp counters.
__global__ void radix_scatter(const unsigned* __restrict__ keys, unsigned* __restrict__ out,
                              int shift, int n) {
  __shared__ unsigned counts[16][33];
  __shared__ unsigned base[17];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  for (int k = threadIdx.x; k < 16 * 33; k += blockDim.x) counts[k / 33][k % 33] = 0;
  if (threadIdx.x < 17) base[threadIdx.x] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    atomicAdd(&base[(keys[i] >> shift & 15) + 1], 1u);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int d = 0; d < 16; ++d) base[d + 1] += base[d];
  }
  __syncthreads();
  for (int first = 0; first < n; first += blockDim.x) {
    int i = first + threadIdx.x;
    unsigned key = i < n ? keys[i] : 0;
    unsigned digit = i < n ? key >> shift & 15 : 16;
    unsigned peers = __match_any_sync(kAll, digit);
    unsigned rank = __popc(peers & ((1u << lane) - 1));
    if (digit < 16 && rank == 0) counts[digit][warp] = __popc(peers);
    __syncthreads();
    if (threadIdx.x < 16) {
      unsigned place = base[threadIdx.x];
      for (int w = 0; w < warps; ++w) {
        unsigned count = counts[threadIdx.x][w];
        counts[threadIdx.x][w] = place;
        place += count;
      }
      base[threadIdx.x] = place;
    }
    __syncthreads();
    if (digit < 16) out[counts[digit][warp] + rank] = key;
    __syncthreads();
    for (int k = threadIdx.x; k < 16 * 33; k += blockDim.x) counts[k / 33][k % 33] = 0;
    __syncthreads();
  }
}

// Sorting by counting how many keys are smaller; equal keys keep their order. n² comparisons.
__global__ void rank_sort(const float* __restrict__ keys, float* __restrict__ sorted, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float key = keys[i];
  int rank = 0;
  for (int j = 0; j < n; ++j) rank += keys[j] < key || (keys[j] == key && j < i);
  sorted[rank] = key;
}

// Merges two sorted runs: each thread finds where its output comes from by bisection along a
// diagonal, then writes 8 values. The runs are 0, 3, 6, … and 1, 3, 5, … so that ties occur.
__global__ void merge_path(int* __restrict__ out, int n_a, int n_b) {
  constexpr int kEach = 8;
  int diagonal = (blockIdx.x * blockDim.x + threadIdx.x) * kEach;
  if (diagonal >= n_a + n_b) return;
  int low = max(0, diagonal - n_b), high = min(diagonal, n_a);
  while (low < high) {
    int middle = (low + high) / 2;
    if (3 * middle <= 2 * (diagonal - 1 - middle) + 1) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  int a = low, b = diagonal - low;
  for (int k = 0; k < kEach && diagonal + k < n_a + n_b; ++k) {
    bool from_a = b >= n_b || (a < n_a && 3 * a <= 2 * b + 1);
    out[diagonal + k] = from_a ? 3 * a++ : 2 * b++ + 1;
  }
}
