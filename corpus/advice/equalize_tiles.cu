// Histogram equalisation of an image's tiles of 4096 bytes, a block each.

constexpr int kBins = 256;

__global__ void equalize_tiles(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                               int tile_bytes) {
  __shared__ unsigned counts[kBins];
  __shared__ unsigned below[kBins];
  int words = tile_bytes / 4;
  const unsigned* tile = in + static_cast<size_t>(blockIdx.x) * words;
  unsigned* result = out + static_cast<size_t>(blockIdx.x) * words;

  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) counts[bin] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < words; i += blockDim.x) {
    unsigned word = tile[i];
    atomicAdd(&counts[word & 255], 1u);
    atomicAdd(&counts[word >> 8 & 255], 1u);
    atomicAdd(&counts[word >> 16 & 255], 1u);
    atomicAdd(&counts[word >> 24], 1u);
  }
  __syncthreads();

  if (threadIdx.x == 0) {
    unsigned running = 0;
    for (int bin = 0; bin < kBins; ++bin) {
      running += counts[bin];
      below[bin] = running;
    }
  }
  __syncthreads();

  unsigned scale = (255u << 16) / tile_bytes;
  for (int i = threadIdx.x; i < words; i += blockDim.x) {
    unsigned word = tile[i];
    unsigned equal = below[word & 255] * scale >> 16;
    equal |= (below[word >> 8 & 255] * scale >> 16) << 8;
    equal |= (below[word >> 16 & 255] * scale >> 16) << 16;
    equal |= (below[word >> 24] * scale >> 16) << 24;
    result[i] = equal;
  }
}
