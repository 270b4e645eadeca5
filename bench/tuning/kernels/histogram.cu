// Counts how often each value occurs among n bytes, in two launches: histogram_parts counts for
// each block, histogram_total adds up. n must be a multiple of 4 · vector_width.
//
//   blocks_per_sm       blocks of the first launch for each SM
//   copies_per_block    histograms per block; threads use them in turn
//   interleaved_copies  0: one copy after the other; 1: the copies of a counter are adjacent
//   vector_width        words of four bytes per load
//   loads_per_step      loads that a thread issues before it counts
#ifndef block_size_x
#define block_size_x 256
#define blocks_per_sm 4
#define copies_per_block 4
#define interleaved_copies 1
#define vector_width 4
#define loads_per_step 1
#endif

constexpr int kBins = 256;

struct __align__(4 * vector_width) Vector {
  unsigned at[vector_width];
};

// part[b · 256 + v] = how often v occurs among the bytes of block b; total = 0.
extern "C" __global__ void __launch_bounds__(block_size_x)
    histogram_parts(const Vector* __restrict__ in, unsigned* __restrict__ total,
                    unsigned* __restrict__ part, int n) {
  __shared__ unsigned counters[kBins * copies_per_block];
  for (int i = threadIdx.x; i < kBins * copies_per_block; i += block_size_x) counters[i] = 0;
  __syncthreads();

  int copy = threadIdx.x % copies_per_block;
  auto counter = [](int bin, int c) {
    return interleaved_copies ? bin * copies_per_block + c : c * kBins + bin;
  };
  auto count = [&](const Vector& vector) {
#pragma unroll
    for (int v = 0; v < vector_width; ++v) {
#pragma unroll
      for (int byte = 0; byte < 4; ++byte) {
        atomicAdd(&counters[counter(vector.at[v] >> 8 * byte & 255, copy)], 1u);
      }
    }
  };
  int vectors = n / (4 * vector_width);
  int step = gridDim.x * block_size_x;
  int i = blockIdx.x * block_size_x + threadIdx.x;
  for (; i + (loads_per_step - 1) * step < vectors; i += loads_per_step * step) {
    Vector loaded[loads_per_step];
#pragma unroll
    for (int l = 0; l < loads_per_step; ++l) loaded[l] = in[i + l * step];
#pragma unroll
    for (int l = 0; l < loads_per_step; ++l) count(loaded[l]);
  }
  for (; i < vectors; i += step) count(in[i]);
  __syncthreads();

  for (int bin = threadIdx.x; bin < kBins; bin += block_size_x) {
    unsigned sum = 0;
    for (int c = 0; c < copies_per_block; ++c) sum += counters[counter(bin, c)];
    part[blockIdx.x * kBins + bin] = sum;
    if (blockIdx.x == 0) total[bin] = 0;
  }
}

// total += the parts; 256 threads, one for each value.
extern "C" __global__ void __launch_bounds__(kBins)
    histogram_total(const unsigned* __restrict__ part, unsigned* __restrict__ total, int count) {
  unsigned sum = 0;
  for (int i = blockIdx.x; i < count; i += gridDim.x) sum += part[i * kBins + threadIdx.x];
  atomicAdd(&total[threadIdx.x], sum);
}

// Block v counts the bytes that are v.
extern "C" __global__ void histogram_reference(const unsigned char* in, unsigned* total,
                                               unsigned* part, int n) {
  __shared__ unsigned sum;
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  unsigned mine = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) mine += in[i] == blockIdx.x;
  atomicAdd(&sum, mine);
  __syncthreads();
  if (threadIdx.x == 0) total[blockIdx.x] = sum;
}
