// Where a protein may bind to a genome: each place is scored by a table of eight bases' weights, on
// either strand. A block reads its stretch of the genome, a byte per base, by chunks of 4096
// through shared memory; kept is the best score of each sixteen places.

#include <cuda_pipeline_primitives.h>

constexpr int kThreads = 256, kMotif = 8, kEach = 16;

// Sixteen bases of a thread and those behind them, each as the place of its weights in a row.
__device__ __forceinline__ void unpack(uint4 bases, int* window) {
  unsigned words[4] = {bases.x, bases.y, bases.z, bases.w};
#pragma unroll
  for (int k = 0; k < kEach; ++k) window[k] = words[k / 4] >> 8 * (k % 4) & 3;
}

__device__ __forceinline__ float best_score(uint4 own, uint4 behind,
                                            const float2 (&weights)[kMotif][4]) {
  int window[2 * kEach];
  unpack(own, window);
  unpack(behind, window + kEach);
  float best = -1e9f;
#pragma unroll
  for (int place = 0; place < kEach; ++place) {
    float forward = 0, backward = 0;
#pragma unroll
    for (int k = 0; k < kMotif; ++k) {
      float2 weight = weights[k][window[place + k]];
      forward += weight.x;
      backward += weight.y;
    }
    best = fmaxf(best, fmaxf(forward, backward));
  }
  return best;
}

__global__ void __launch_bounds__(kThreads)
    scan_motifs(const uint4* __restrict__ genome, const float2* __restrict__ table,
                float* __restrict__ scores, int chunks) {
  __shared__ uint4 bases[kThreads + 1];
  __shared__ float2 weights[kMotif][4];
  int t = threadIdx.x;
  if (t < 4 * kMotif) weights[t / 4][t % 4] = table[t];
  size_t first = static_cast<size_t>(blockIdx.x) * chunks * kThreads;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    size_t place = first + static_cast<size_t>(chunk) * kThreads;
    bases[t] = genome[place + t];
    if (t == 0) bases[kThreads] = genome[place + kThreads];
    __syncthreads();
    scores[place + t] = best_score(bases[t], bases[t + 1], weights);
    __syncthreads();
  }
}
