// Kernels that one level of the memory bounds, by its throughput or by its latency.

__device__ int thread_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// The latency of a level: a list of indices is walked by one warp per scheduler. The list's length
// says in which level it stays; `next` is a permutation, `stride` keeps the starts apart.
__global__ void walk(const int* __restrict__ next, int* __restrict__ out, int stride, int steps) {
  int at = thread_index() / 32 * stride;
#pragma unroll 16
  for (int step = 0; step < steps; ++step) at = next[at];
  out[thread_index()] = at;
}

// l1, throughput: a table of `count` (a power of two) 16-byte entries, read again and again in
// order.
__global__ void table_sums(const float4* __restrict__ table, float* __restrict__ out, int count,
                           int rounds) {
  float sum = 0;
#pragma unroll 8
  for (int round = 0; round < rounds; ++round) {
    float4 entry = table[(threadIdx.x + round * 32) & (count - 1)];
    sum += entry.x + entry.y + entry.z + entry.w;
  }
  out[thread_index()] = sum;
}

// l1, throughput: entries looked up here and there, a line per lane.
__global__ void lookups(const float* __restrict__ table, float* __restrict__ out, int count,
                        int rounds) {
  unsigned at = threadIdx.x * 32;
  float sum = 0;
#pragma unroll 8
  for (int round = 0; round < rounds; ++round) sum += table[(at + round * 36) & (count - 1)];
  out[thread_index()] = sum;
}

// l2, throughput: weighted sums of a matrix's columns, once per row of blocks with another weight.
// The matrix stays in the L2 cache, but not in L1. Four columns a thread.
__global__ void column_moments(const float4* __restrict__ matrix, float4* __restrict__ out,
                               int width, int height) {
  int column = blockIdx.x * blockDim.x + threadIdx.x;
  float weight = 1.0f / (blockIdx.y + 2);
  float4 sum = {};
#pragma unroll 8
  for (int row = 0; row < height; ++row) {
    float4 x = matrix[row * width + column];
    sum.x = fmaf(sum.x, weight, x.x);
    sum.y = fmaf(sum.y, weight, x.y);
    sum.z = fmaf(sum.z, weight, x.z);
    sum.w = fmaf(sum.w, weight, x.w);
  }
  out[blockIdx.y * width + column] = sum;
}

// l2 or dram, throughput: single words from all over the table.
__global__ void gather_sums(const int* __restrict__ index, const float* __restrict__ table,
                            float* __restrict__ out, int count) {
  int stride = gridDim.x * blockDim.x;
  float sum = 0;
#pragma unroll 4
  for (int i = thread_index(); i < count; i += stride) sum += table[index[i]];
  out[thread_index()] = sum;
}

// dram, throughput: z = a·x + y, once over arrays that no cache holds.
__global__ void axpy(const float4* __restrict__ x, const float4* __restrict__ y,
                     float4* __restrict__ z, float a, int count) {
  int i = thread_index();
  if (i >= count) return;
  float4 left = x[i], right = y[i];
  z[i] = make_float4(fmaf(a, left.x, right.x), fmaf(a, left.y, right.y), fmaf(a, left.z, right.z),
                     fmaf(a, left.w, right.w));
}

// dram, throughput: a sum of a large array, nothing but reads.
__global__ void large_sum(const float4* __restrict__ in, float* __restrict__ out, int count) {
  int stride = gridDim.x * blockDim.x;
  float sum = 0;
#pragma unroll 4
  for (int i = thread_index(); i < count; i += stride) {
    float4 x = in[i];
    sum += x.x + x.y + x.z + x.w;
  }
  out[thread_index()] = sum;
}

// dram, latency: a running value through a large array, one load at a time in few warps: the weight
// of an element hangs on the one before.
__global__ void running_value(const float* __restrict__ in, float* __restrict__ out, int steps) {
  int stride = gridDim.x * blockDim.x;
  int at = thread_index();
  float value = 0;
  for (int step = 0; step < steps; ++step) {
    value = fmaf(value, 0.5f, in[at]);
    at += value < 4.0f ? stride : 0;  // always the stride, but only the data tells
  }
  out[thread_index()] = value;
}

__constant__ int automaton[64] = {5,  12, 33, 7,  60, 21, 44, 2,  18, 51, 9,  38, 27, 63, 14, 30,
                                  48, 3,  55, 22, 41, 10, 36, 58, 1,  29, 16, 47, 62, 11, 34, 53,
                                  20, 6,  40, 25, 59, 13, 31, 45, 0,  50, 19, 37, 57, 8,  24, 42,
                                  61, 15, 35, 4,  52, 28, 46, 17, 32, 54, 23, 39, 56, 26, 43, 49};

// constant, latency: an automaton whose table is a constant array; all lanes are in one state.
__global__ void states(int* __restrict__ out, int start, int steps) {
  int state = start;
  state += __shfl_sync(0xffffffffu, threadIdx.x, 0) &
           1;  // the same in all lanes, unknown to the compiler
#pragma unroll 8
  for (int step = 0; step < steps; ++step) state = automaton[state];
  out[thread_index()] = state;
}

// constant, throughput: each lane looks up an entry of its own; different ones come one by one.
__global__ void constant_lookups(int* __restrict__ out, int rounds) {
  int at = threadIdx.x, sum = 0;
#pragma unroll 8
  for (int round = 0; round < rounds; ++round) sum += automaton[(at + round) & 63];
  out[thread_index()] = sum;
}
