// Prefix sums of integers, and what is built on them.

constexpr unsigned kAll = 0xffffffff;

// Hillis and Steele: log2(n) rounds, each thread adds its neighbour at a distance; two buffers in
// shared memory. A block of 256 scans 256 values, inclusive.
__global__ void scan_steps(const int* __restrict__ in, int* __restrict__ out, int n) {
  constexpr int kBlock = 256;
  __shared__ int buffer[2][kBlock];
  int i = blockIdx.x * kBlock + threadIdx.x, t = threadIdx.x;
  int now = 0;
  buffer[0][t] = i < n ? in[i] : 0;
  for (int distance = 1; distance < kBlock; distance *= 2) {
    __syncthreads();
    int value = buffer[now][t];
    if (t >= distance) value += buffer[now][t - distance];
    buffer[1 - now][t] = value;
    now = 1 - now;
  }
  if (i < n) out[i] = buffer[now][t];
}

// Blelloch: an up-sweep and a down-sweep over a tree in shared memory, exclusive; a block of 128
// threads scans 256 values.
__global__ void scan_tree(const int* __restrict__ in, int* __restrict__ out, int n) {
  constexpr int kValues = 256;
  __shared__ int tree[kValues];
  int t = threadIdx.x, base = blockIdx.x * kValues;
  for (int k = t; k < kValues; k += blockDim.x) tree[k] = base + k < n ? in[base + k] : 0;
  int offset = 1;
  for (int width = kValues / 2; width > 0; width /= 2, offset *= 2) {
    __syncthreads();
    if (t < width) tree[offset * (2 * t + 2) - 1] += tree[offset * (2 * t + 1) - 1];
  }
  __syncthreads();
  if (t == 0) tree[kValues - 1] = 0;
  for (int width = 1; width < kValues; width *= 2) {
    offset /= 2;
    __syncthreads();
    if (t < width) {
      int left = offset * (2 * t + 1) - 1, right = offset * (2 * t + 2) - 1;
      int value = tree[left];
      tree[left] = tree[right];
      tree[right] += value;
    }
  }
  __syncthreads();
  for (int k = t; k < kValues; k += blockDim.x) {
    if (base + k < n) out[base + k] = tree[k];
  }
}

__device__ int warp_scan(int value) {
  int lane = threadIdx.x % 32;
  for (int delta = 1; delta < 32; delta *= 2) {
    int below = __shfl_up_sync(kAll, value, delta);
    if (lane >= delta) value += below;
  }
  return value;
}

// Shuffles within warps, then over the warps; inclusive, the block's width at a time, for a row of
// any length per block.
__global__ void scan_rows(const int* __restrict__ in, int* __restrict__ out, int columns) {
  __shared__ int sums[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
  int carry = 0;
  for (int base = 0; base < columns; base += blockDim.x) {
    int j = base + threadIdx.x;
    int value = warp_scan(j < columns ? in[blockIdx.x * columns + j] : 0);
    if (lane == 31) sums[warp] = value;
    __syncthreads();
    if (warp == 0) {
      int sum = warp_scan(lane < warps ? sums[lane] : 0);
      if (lane < warps) sums[lane] = sum;
    }
    __syncthreads();
    if (warp > 0) value += sums[warp - 1];
    if (j < columns) out[blockIdx.x * columns + j] = carry + value;
    carry += sums[warps - 1];
    __syncthreads();
  }
}

// One pass over all blocks with decoupled look-back: blocks take a ticket, publish their sum, and
// add up their predecessors' as these appear. A status word holds a flag (1: own sum, 2: prefix) in
// its upper half. Spins on memory, so the number of executed instructions varies.
__global__ void scan_lookback(const int* __restrict__ in, int* __restrict__ out,
                              unsigned long long* status, unsigned* ticket, int n) {
  constexpr int kBlock = 256;
  __shared__ int sums[kBlock / 32];
  __shared__ int block, before;
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) block = atomicAdd(ticket, 1);
  __syncthreads();
  int i = block * kBlock + threadIdx.x;
  int value = warp_scan(i < n ? in[i] : 0);
  if (lane == 31) sums[warp] = value;
  __syncthreads();
  int offset = 0, total = 0;
  for (int w = 0; w < kBlock / 32; ++w) {
    if (w < warp) offset += sums[w];
    total += sums[w];
  }
  if (threadIdx.x == 0) {
    unsigned long long kind = block == 0 ? 2 : 1;
    atomicExch(&status[block], kind << 32 | static_cast<unsigned>(total));
    int prefix = 0;
    for (int earlier = block - 1; earlier >= 0;) {
      unsigned long long seen = atomicAdd(&status[earlier], 0ull);
      if (seen >> 32 == 0) continue;
      prefix += static_cast<int>(seen);
      if (seen >> 32 == 2) break;
      --earlier;
    }
    if (block > 0) {
      atomicExch(&status[block], 2ull << 32 | static_cast<unsigned>(prefix + total));
    }
    before = prefix;
  }
  __syncthreads();
  if (i < n) out[i] = before + offset + value;
}

// Keeps the values below a bound, in their order, within each block: ballots and popcounts make
// places. `kept` has the number per block.
__global__ void compact(const int* __restrict__ in, int* __restrict__ out, int* __restrict__ kept,
                        int bound, int n) {
  __shared__ int counts[32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int value = i < n ? in[i] : bound;
  unsigned keep = __ballot_sync(kAll, value < bound);
  if (lane == 0) counts[warp] = __popc(keep);
  __syncthreads();
  int place = __popc(keep & ((1u << lane) - 1));
  for (int w = 0; w < warp; ++w) place += counts[w];
  if (value < bound) out[blockIdx.x * blockDim.x + place] = value;
  if (threadIdx.x == blockDim.x - 1) kept[blockIdx.x] = place + (value < bound ? 1 : 0);
}

// Run lengths of equal bytes: heads are found by comparing with the left neighbour and numbered by
// a ballot scan; each head looks for the end of its run. One block of 256 per row of 256 bytes.
__global__ void run_lengths(const unsigned char* __restrict__ in, uchar2* __restrict__ runs,
                            int* __restrict__ counts) {
  __shared__ unsigned char row[256];
  __shared__ int heads[8];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  row[t] = in[blockIdx.x * 256 + t] % 3;
  __syncthreads();
  bool head = t == 0 || row[t] != row[t - 1];
  unsigned mask = __ballot_sync(kAll, head);
  if (lane == 0) heads[warp] = __popc(mask);
  __syncthreads();
  int place = __popc(mask & ((1u << lane) - 1));
  for (int w = 0; w < warp; ++w) place += heads[w];
  if (head) {
    int end = t + 1;
    while (end < 256 && row[end] == row[t]) ++end;
    runs[blockIdx.x * 256 + place] = make_uchar2(row[t], static_cast<unsigned char>(end - t - 1));
  }
  if (t == 255) counts[blockIdx.x] = place + (head ? 1 : 0);
}
