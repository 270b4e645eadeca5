// Counts byte values. Each block keeps its own 256 counters in shared memory and adds them to the
// result at its end. How fast it runs depends on the data: equal bytes collide on one counter.
constexpr int kBins = 256;

extern "C" __global__ void __launch_bounds__(kBins)
    histogram(const unsigned char* bytes, unsigned int* counts, int n) {
  __shared__ unsigned int local[kBins];

  local[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * kBins + threadIdx.x; i < n; i += gridDim.x * kBins) {
    atomicAdd(&local[bytes[i]], 1u);
  }
  __syncthreads();
  atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
}
