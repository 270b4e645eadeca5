// Kernels that atomics of many threads on few words bound, and grids of which most blocks have
// nothing to do.

__device__ int thread_index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// l2, throughput: all threads add to one word, which one slice of the L2 cache holds. Sums are of
// 64 bits, so that the compiler does not sum up within warps.
__global__ void add_to_one(unsigned long long* __restrict__ sum, int rounds) {
  unsigned long long value = thread_index() + 1;
  for (int round = 0; round < rounds; ++round) atomicAdd(sum, value + round);
}

// l2, throughput: each thread adds to words of its own choice among `words`, other ones each round.
__global__ void add_to_some(unsigned* __restrict__ sums, int words, int rounds) {
  unsigned state = thread_index() * 2654435769u + 12345u;
  for (int round = 0; round < rounds; ++round) {
    state = state * 1664525u + 1013904223u;
    unsigned place = __umulhi(state, words);
    atomicAdd(&sums[place], 1 + (state & 255));
  }
}

// dram, throughput: one block of `every` has a part of a large array to sum up; the others see that
// they have none and exit.
__global__ void sum_active(const float4* __restrict__ in, float* __restrict__ out, int every,
                           int groups) {
  if (blockIdx.x % every != 0) return;
  const float4* own = in + static_cast<size_t>(blockIdx.x / every) * groups;
  float sum = 0;
#pragma unroll 8
  for (int i = threadIdx.x; i < groups; i += blockDim.x) {
    float4 x = own[i];
    sum += x.x + x.y + x.z + x.w;
  }
  out[blockIdx.x / every * blockDim.x + threadIdx.x] = sum;
}

// fma, throughput: one block of `every` runs congruential generators (IMAD, which only one of the
// two units has); the others exit.
__global__ void generate_active(unsigned* __restrict__ out, unsigned factor, int every,
                                int rounds) {
  if (blockIdx.x % every != 0) return;
  unsigned a = thread_index(), b = a + 1, c = a + 2, d = a + 3;
#pragma unroll 8
  for (int round = 0; round < rounds; ++round) {
    a = a * factor + 12345u;
    b = b * factor + 54321u;
    c = c * factor + 77777u;
    d = d * factor + 99999u;
  }
  out[blockIdx.x / every * blockDim.x + threadIdx.x] = a ^ b ^ c ^ d;
}
