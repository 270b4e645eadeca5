// Hand-written: 16 bytes per load, four compared at once by a SIMD-within-a-word instruction, one atomic per block.
#include <cuda_runtime.h>

namespace {
constexpr int kThreads = 512;

__global__ void __launch_bounds__(kThreads)
    count_equal(const uint4 *__restrict__ text, int quads, unsigned pattern, unsigned *__restrict__ count) {
  __shared__ unsigned partial[kThreads / 32];
  unsigned bits = 0;  // eight set bits for each byte that is equal
#pragma unroll 4
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < quads; i += gridDim.x * kThreads) {
    const uint4 word = __ldcs(&text[i]);
    bits += __popc(__vcmpeq4(word.x, pattern)) + __popc(__vcmpeq4(word.y, pattern)) +
            __popc(__vcmpeq4(word.z, pattern)) + __popc(__vcmpeq4(word.w, pattern));
  }
  bits = __reduce_add_sync(~0u, bits);
  if (threadIdx.x % 32 == 0) partial[threadIdx.x / 32] = bits;
  __syncthreads();
  if (threadIdx.x < 32) {
    bits = __reduce_add_sync(~0u, threadIdx.x < kThreads / 32 ? partial[threadIdx.x] : 0u);
    if (threadIdx.x == 0) atomicAdd(count, bits / 8);
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const uint4 *text = *(const uint4 **)arguments[0];
  const unsigned pattern = 0x01010101u * (unsigned)*(int *)arguments[2];
  count_equal<<<132 * 4, kThreads, 0, stream>>>(text, *(int *)arguments[1] / 16, pattern,
                                                *(unsigned **)arguments[3]);
}
