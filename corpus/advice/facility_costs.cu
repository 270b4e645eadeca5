// Clustering of a stream of points: what each of 16 new centres would save. Each point compares its
// distances to the candidates with what its present centre costs. Where a candidate is cheaper, the
// point would switch; else the loss is booked with its centre, whose closing is considered.

constexpr int kMaxDimensions = 128, kCandidates = 16;

__global__ void facility_costs(const float* __restrict__ coordinates,
                               const float* __restrict__ weights, const float* __restrict__ present,
                               const int* __restrict__ centres,
                               unsigned short* __restrict__ switches, int* __restrict__ losses,
                               int points, int dimensions, int candidate) {
  __shared__ float targets[kMaxDimensions][kCandidates];
  for (int k = threadIdx.x; k < dimensions * kCandidates; k += blockDim.x) {
    int dimension = k / kCandidates, which = k % kCandidates;
    targets[dimension][which] =
        coordinates[static_cast<size_t>(dimension) * points + candidate + which];
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < points; i += gridDim.x * blockDim.x) {
    float distances[kCandidates] = {};
#pragma unroll 8
    for (int dimension = 0; dimension < dimensions; ++dimension) {
      float coordinate = coordinates[static_cast<size_t>(dimension) * points + i];
#pragma unroll
      for (int which = 0; which < kCandidates; ++which) {
        float off = coordinate - targets[dimension][which];
        distances[which] += off * off;
      }
    }
    unsigned chosen = 0;
    float loss = 0;
#pragma unroll
    for (int which = 0; which < kCandidates; ++which) {
      float change = weights[i] * (distances[which] - 0.34f * dimensions * present[i]);
      if (change < 0) chosen |= 1u << which;
      loss += fmaxf(change, 0.0f);
    }
    switches[i] = static_cast<unsigned short>(chosen);
    // Losses are summed in hundredths, so that their order does not matter.
    if (chosen == 0) atomicAdd(&losses[centres[i]], static_cast<int>(loss * 100.0f));
  }
}
