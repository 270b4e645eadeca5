// Reductions and scans (kind reduce): barriers in uniform loops, shuffles, votes, atomics.

// Within warps by shuffles, then the warps' sums by the first warp.
__global__ void reduce_shuffle(const float* __restrict__ in, float* __restrict__ sums, int n) {
  __shared__ float of_warp[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float sum = i < n ? in[i] : 0.0f;
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (lane == 0) of_warp[warp] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int k = 0; k < 8; ++k) total += of_warp[k];
    sums[blockIdx.x] = total;
  }
}

// One warp per row of the block: merging threads along y keeps warps whole, along x it cannot.
__global__ void reduce_double_xor(const double* __restrict__ in, double* __restrict__ sums, int n) {
  int row = (blockIdx.y * blockDim.y + threadIdx.y) * gridDim.x + blockIdx.x;
  double sum = threadIdx.x < n ? in[row * 32 + threadIdx.x] : 0.0;
#pragma unroll 1
  for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(0xffffffff, sum, mask);
  if (threadIdx.x == 0) sums[row] = sum;
}

// The block's sum and extremes by shared atomics, then one global atomic each.
__global__ void reduce_atomic_block(const int* __restrict__ in, int* __restrict__ results, int n) {
  __shared__ int sum, low, high, odd;
  if (threadIdx.x == 0) {
    sum = 0;
    low = 1 << 30;
    high = -1;
    odd = 0;
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    atomicAdd(&sum, in[i]);
    atomicMin(&low, in[i]);
    atomicMax(&high, in[i]);
    if (in[i] & 1) atomicXor(&odd, i);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(&results[0], sum);
    atomicMin(&results[1], low);
    atomicMax(&results[2], high);
    atomicXor(&results[3], odd);
  }
}

// An exclusive scan after Blelloch: up and down a tree, with few threads at the top.
__global__ void scan_tree(const int* __restrict__ in, int* __restrict__ out) {
  __shared__ int tree[128];
  int t = threadIdx.x, base = blockIdx.x * 128;
  tree[2 * t] = in[base + 2 * t];
  tree[2 * t + 1] = in[base + 2 * t + 1];
  int offset = 1;
  for (int d = 64; d > 0; d >>= 1, offset <<= 1) {
    __syncthreads();
    if (t < d) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
  }
  if (t == 0) tree[127] = 0;
  for (int d = 1; d < 128; d <<= 1) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      int a = offset * (2 * t + 1) - 1, b = offset * (2 * t + 2) - 1;
      int left = tree[a];
      tree[a] = tree[b];
      tree[b] += left;
    }
  }
  __syncthreads();
  out[base + 2 * t] = tree[2 * t];
  out[base + 2 * t + 1] = tree[2 * t + 1];
}

// Lanes exchange values through shared memory, synchronised by __syncwarp.
__global__ void warp_exchange(const int* __restrict__ in, int* __restrict__ out) {
  __shared__ int cells[128];
  int t = threadIdx.x, i = blockIdx.x * 128 + t;
  cells[t] = in[i];
  __syncwarp();
  int other = cells[t ^ 5];
  __syncwarp();
  cells[t] = other + t;
  __syncwarp();
  out[i] = cells[t ^ 17] - other;
}
