// Texts that are nearly the same, by their signatures of 256 bits: for each text, how many of those
// behind it differ in few bits. A block takes `each` groups of four texts.

constexpr int kThreads = 1024, kGroup = 4;

struct Signature {
  uint4 low, high;
};

__device__ __forceinline__ int bits(uint4 a, uint4 b) {
  return __popc(a.x ^ b.x) + __popc(a.y ^ b.y) + __popc(a.z ^ b.z) + __popc(a.w ^ b.w);
}

__global__ void __launch_bounds__(kThreads)
    near_duplicates(const Signature* __restrict__ signatures, int* __restrict__ counts, int texts,
                    int each, int few) {
  __shared__ Signature own[kGroup];
  __shared__ int found[kGroup];
  for (int k = 0; k < each; ++k) {
    int first = (blockIdx.x * each + k) * kGroup;
    if (first >= texts) return;
    if (threadIdx.x < kGroup) {
      own[threadIdx.x] = signatures[first + threadIdx.x];
      found[threadIdx.x] = 0;
    }
    __syncthreads();

    int near_by[kGroup] = {};
    for (int other = first + 1 + threadIdx.x; other < texts; other += kThreads) {
      Signature its = signatures[other];
#pragma unroll
      for (int g = 0; g < kGroup; ++g) {
        int distance = bits(own[g].low, its.low) + bits(own[g].high, its.high);
        if (distance <= few && other > first + g) ++near_by[g];
      }
    }

#pragma unroll
    for (int g = 0; g < kGroup; ++g) {
      int sum = __reduce_add_sync(0xffffffffu, near_by[g]);
      if (threadIdx.x % 32 == 0) atomicAdd(&found[g], sum);
    }
    __syncthreads();
    if (threadIdx.x < kGroup) counts[first + threadIdx.x] = found[threadIdx.x];
    __syncthreads();
  }
}
