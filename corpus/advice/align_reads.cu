// Local alignment (Smith and Waterman, with gaps that cost the same at every place): a short read
// against windows of a genome, a thread per window. Kept are the best score and where it ends.

constexpr int kLongest = 32;  // bases of the read, at most
constexpr int kMatch = 3, kMismatch = -2, kGap = -4;

struct Alignment {
  int score;
  int end;
};

__device__ __forceinline__ int base_at(const unsigned* packed, int place) {
  return packed[place / 16] >> 2 * (place % 16) & 3;
}

// Has a bit for each place of the read at which this base stands.
__device__ __forceinline__ unsigned places_of(int base, const unsigned* read, int length) {
  unsigned places = 0;
  for (int j = 0; j < length; ++j) {
    if (base_at(read, j) == base) places |= 1u << j;
  }
  return places;
}

__global__ void align_reads(const unsigned* __restrict__ genome, const int* __restrict__ starts,
                            const unsigned* __restrict__ read, Alignment* __restrict__ alignments,
                            int windows, int window_length, int read_length) {
  __shared__ unsigned places[4];
  if (threadIdx.x < 4) places[threadIdx.x] = places_of(threadIdx.x, read, read_length);
  __syncthreads();
  int window = blockIdx.x * blockDim.x + threadIdx.x;
  if (window >= windows) return;
  int start = starts[window];
  int scores[kLongest];  // of the row above
  for (int j = 0; j < read_length; ++j) scores[j] = 0;

  Alignment best = {0, start};
  for (int i = 0; i < window_length; ++i) {
    unsigned matches = places[base_at(genome, start + i)];
    int diagonal = 0, left = 0, highest = 0;
    for (int j = 0; j < read_length; ++j) {
      int above = scores[j];
      int score = max(diagonal + (matches >> j & 1 ? kMatch : kMismatch), 0);
      score = max(score, max(above, left) + kGap);
      scores[j] = score;
      highest = max(highest, score);
      diagonal = above;
      left = score;
    }
    if (highest > best.score) best = {highest, start + i};
  }
  alignments[window] = best;
}
