// Hand-written. Each warp counts into its own histogram in shared memory, 16 bytes per load; the block adds its
// histograms up and adds the result to the bins in global memory.
#include <cuda_runtime.h>

namespace {
constexpr int kWarps = 16;

__device__ void count_word(unsigned *mine, unsigned word) {
  atomicAdd(&mine[word & 255], 1u);
  atomicAdd(&mine[(word >> 8) & 255], 1u);
  atomicAdd(&mine[(word >> 16) & 255], 1u);
  atomicAdd(&mine[word >> 24], 1u);
}

__global__ void __launch_bounds__(32 * kWarps)
    count(const unsigned char *__restrict__ data, unsigned *__restrict__ bins, int n) {
  __shared__ unsigned counts[kWarps][256];
  for (int i = threadIdx.x; i < kWarps * 256; i += blockDim.x) (&counts[0][0])[i] = 0;
  __syncthreads();
  unsigned *mine = counts[threadIdx.x / 32];
  const int thread = blockIdx.x * blockDim.x + threadIdx.x, threads = gridDim.x * blockDim.x;
  const uint4 *quads = reinterpret_cast<const uint4 *>(data);
  for (int i = thread; i < n / 16; i += threads) {
    const uint4 value = __ldcs(&quads[i]);
    count_word(mine, value.x);
    count_word(mine, value.y);
    count_word(mine, value.z);
    count_word(mine, value.w);
  }
  for (int i = n / 16 * 16 + thread; i < n; i += threads) atomicAdd(&mine[data[i]], 1u);
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
    unsigned total = 0;
    for (int warp = 0; warp < kWarps; ++warp) total += counts[warp][bin];
    if (total != 0) atomicAdd(&bins[bin], total);
  }
}
}  // namespace

extern "C" void launch(void **arguments, cudaStream_t stream) {
  const unsigned char *data = *(const unsigned char **)arguments[0];
  unsigned *bins = *(unsigned **)arguments[1];
  count<<<132 * 4, 32 * kWarps, 0, stream>>>(data, bins, *(int *)arguments[2]);
}
