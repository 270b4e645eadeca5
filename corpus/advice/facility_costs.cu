// Clustering of a stream of points: what a new centre would save. Each point compares its distance
// to the candidate with what its present centre costs. If the candidate is cheaper, the point would
// switch; else the saving is booked with its centre, whose closing is considered.

constexpr int kMaxDimensions = 256;

__global__ void facility_costs(const float* __restrict__ coordinates,
                               const float* __restrict__ weights, const float* __restrict__ present,
                               const int* __restrict__ centres,
                               unsigned char* __restrict__ switches, int* __restrict__ savings,
                               int points, int dimensions, int candidate) {
  __shared__ float target[kMaxDimensions];
  for (int k = threadIdx.x; k < dimensions; k += blockDim.x) {
    target[k] = coordinates[static_cast<size_t>(k) * points + candidate];
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= points) return;
  float distance = 0;
#pragma unroll 4
  for (int k = 0; k < dimensions; ++k) {
    float off = coordinates[static_cast<size_t>(k) * points + i] - target[k];
    distance += off * off;
  }
  float change = weights[i] * (distance - 0.34f * dimensions * present[i]);
  bool cheaper = change < 0;
  switches[i] = cheaper;
  // Savings are summed in thousandths, so that their order does not matter.
  if (!cheaper) atomicAdd(&savings[centres[i]], static_cast<int>(change * 1000.0f));
}
