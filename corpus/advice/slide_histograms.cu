// The histogram of the grey values of each slide that a microscope scanned. A column of blocks
// belongs to a slide and shares its pixels, four of which are in a word; the counts start as zeros.

constexpr int greys = 256;

__device__ __forceinline__ void count_word(int* counts, unsigned word) {
  atomicAdd(&counts[word & 255u], 1);
  atomicAdd(&counts[word >> 8 & 255u], 1);
  atomicAdd(&counts[word >> 16 & 255u], 1);
  atomicAdd(&counts[word >> 24], 1);
}

__global__ void slide_histograms(const unsigned* __restrict__ slides, int* __restrict__ histograms,
                                 int words) {
  __shared__ int counts[greys];
  const unsigned* slide = slides + static_cast<size_t>(blockIdx.x) * words;

  for (int grey = threadIdx.x; grey < greys; grey += blockDim.x) {
    counts[grey] = 0;
  }
  __syncthreads();

  int stride = gridDim.y * blockDim.x;
  for (int i = blockIdx.y * blockDim.x + threadIdx.x; i < words; i += stride) {
    count_word(counts, slide[i]);
  }
  __syncthreads();

  for (int grey = threadIdx.x; grey < greys; grey += blockDim.x) {
    atomicAdd(&histograms[blockIdx.x * greys + grey], counts[grey]);
  }
}
