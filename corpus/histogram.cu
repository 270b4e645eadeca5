// Histograms: atomics on few addresses.

// Bytes counted straight in global memory: colliding RED instructions.
__global__ void histogram_global(const unsigned char* __restrict__ in,
                                 unsigned* __restrict__ counts, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&counts[in[i]], 1u);
  }
}

// Bytes counted in shared memory, four per load, and merged at the end.
__global__ void histogram_shared(const uchar4* __restrict__ in, unsigned* __restrict__ counts,
                                 int n4) {
  __shared__ unsigned local[256];
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) local[bin] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n4; i += gridDim.x * blockDim.x) {
    uchar4 v = in[i];
    atomicAdd(&local[v.x], 1u);
    atomicAdd(&local[v.y], 1u);
    atomicAdd(&local[v.z], 1u);
    atomicAdd(&local[v.w], 1u);
  }
  __syncthreads();
  for (int bin = threadIdx.x; bin < 256; bin += blockDim.x) {
    if (local[bin] != 0) atomicAdd(&counts[bin], local[bin]);
  }
}

// Sixteen bins per thread in bytes of shared memory, without atomics, then summed over the block of
// 128 threads. Each thread sees at most 255 values.
__global__ void histogram_private(const float* __restrict__ in, unsigned* __restrict__ counts,
                                  int n) {
  constexpr int kBlock = 128, kBins = 16;
  __shared__ unsigned char bins[kBins][kBlock];
  for (int bin = 0; bin < kBins; ++bin) bins[bin][threadIdx.x] = 0;
  for (int i = blockIdx.x * kBlock + threadIdx.x; i < n; i += gridDim.x * kBlock) {
    int bin = static_cast<int>(in[i] * kBins);
    ++bins[bin][threadIdx.x];
  }
  __syncthreads();
  if (threadIdx.x < kBins) {
    unsigned sum = 0;
    for (int t = 0; t < kBlock; ++t) sum += bins[threadIdx.x][t];
    atomicAdd(&counts[threadIdx.x], sum);
  }
}

// A two-dimensional histogram of pairs with weights in 64-bit integers.
__global__ void histogram_pairs(const float2* __restrict__ in,
                                unsigned long long* __restrict__ counts, int bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 p = in[i];
  int x = min(static_cast<int>(p.x * bins), bins - 1);
  int y = min(static_cast<int>(p.y * bins), bins - 1);
  atomicAdd(&counts[y * bins + x], static_cast<unsigned long long>(i) + 1);
}
