// Hand-written: the codes are split into 64 parts, so that there are enough blocks; a block keeps its part in shared
// memory and each thread two queries in registers. Carry-save adders halve the number of population counts (a quarter
// of the rate of logic). A second kernel takes the minimum over the parts of distance · 65536 + index.
#include <cuda_runtime.h>

namespace {
constexpr int kThreads = 128, kPerThread = 2, kPart = 1024;  // codes per block
constexpr int kMaxParts = 64, kMaxQueries = 4096;            // 65536 codes: the index has 16 bits

__device__ unsigned partial[kMaxParts * kMaxQueries];

__device__ __forceinline__ void add(unsigned a, unsigned b, unsigned c, unsigned &sum, unsigned &carry) {
  sum = a ^ b ^ c;
  carry = (a & b) | (a & c) | (b & c);
}

__device__ __forceinline__ unsigned distance_of(const uint4 &a, const uint4 &b, const uint4 &c, const uint4 &d) {
  const unsigned x0 = a.x ^ c.x, x1 = a.y ^ c.y, x2 = a.z ^ c.z, x3 = a.w ^ c.w;
  const unsigned x4 = b.x ^ d.x, x5 = b.y ^ d.y, x6 = b.z ^ d.z, x7 = b.w ^ d.w;
  unsigned s0, s1, ones, t0, t1, t2, twos, fours;
  add(x0, x1, x2, s0, t0);
  add(x3, x4, x5, s1, t1);
  add(s0, s1, x6, ones, t2);
  add(t0, t1, t2, twos, fours);
  return __popc(ones) + __popc(x7) + 2 * __popc(twos) + 4 * __popc(fours);
}

__global__ void __launch_bounds__(kThreads)
    search(const uint4 *__restrict__ queries, const uint4 *__restrict__ codes, int num_queries, int num_codes) {
  __shared__ uint4 part[kPart * 2];
  const int first = blockIdx.y * kPart, count = min(kPart, num_codes - first);
  for (int i = threadIdx.x; i < 2 * count; i += kThreads) part[i] = codes[(size_t)first * 2 + i];
  uint4 low[kPerThread], high[kPerThread];
  unsigned best[kPerThread];
  const int query = blockIdx.x * kThreads * kPerThread + threadIdx.x;
#pragma unroll
  for (int k = 0; k < kPerThread; ++k) {
    const int mine = min(query + k * kThreads, num_queries - 1);
    low[k] = queries[2 * mine];
    high[k] = queries[2 * mine + 1];
    best[k] = ~0u;
  }
  __syncthreads();
#pragma unroll 4
  for (int i = 0; i < count; ++i) {
    const uint4 code_low = part[2 * i], code_high = part[2 * i + 1];
#pragma unroll
    for (int k = 0; k < kPerThread; ++k)
      best[k] = min(best[k], distance_of(low[k], high[k], code_low, code_high) * 65536 + (first + i));
  }
#pragma unroll
  for (int k = 0; k < kPerThread; ++k) {
    if (query + k * kThreads < num_queries) partial[blockIdx.y * num_queries + query + k * kThreads] = best[k];
  }
}

__global__ void combine(int *__restrict__ nearest, int *__restrict__ distance, int num_queries, int parts) {
  const int query = blockIdx.x * blockDim.x + threadIdx.x;
  if (query >= num_queries) return;
  unsigned best = ~0u;
#pragma unroll 16
  for (int i = 0; i < parts; ++i) best = min(best, partial[i * num_queries + query]);
  nearest[query] = best & 65535;
  distance[query] = best >> 16;
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const uint4 *queries = *(const uint4 **)arguments[0], *codes = *(const uint4 **)arguments[1];
  int *nearest = *(int **)arguments[2], *distance = *(int **)arguments[3];
  const int num_queries = *(int *)arguments[4], num_codes = *(int *)arguments[5];
  const int tile = kThreads * kPerThread, parts = (num_codes + kPart - 1) / kPart;
  search<<<dim3((num_queries + tile - 1) / tile, parts), kThreads, 0, stream>>>(queries, codes, num_queries, num_codes);
  combine<<<(num_queries + 63) / 64, 64, 0, stream>>>(nearest, distance, num_queries, parts);
}
