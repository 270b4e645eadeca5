// Small systems of equations, one for each block of 64 threads, by Gauss's elimination: the row
// with the largest entry of a column comes first.

constexpr int kSize = 48, kThreads = 64;

__global__ void __launch_bounds__(kThreads)
    solve_pivoted(const float* __restrict__ systems, const float* __restrict__ right_sides,
                  float* __restrict__ solutions) {
  __shared__ float rows[kSize][kSize + 2];
  __shared__ int order[kSize];
  __shared__ int pivot;
  const float* system = systems + static_cast<size_t>(blockIdx.x) * kSize * kSize;
  int t = threadIdx.x;
  for (int k = t; k < kSize * kSize; k += kThreads) rows[k / kSize][k % kSize] = system[k];
  if (t < kSize) {
    rows[t][kSize] = right_sides[blockIdx.x * kSize + t];
    order[t] = t;
  }
  __syncthreads();

  for (int step = 0; step < kSize; ++step) {
    if (t < 32) {
      int best = step;
      float largest = -1.0f;
      for (int row = step + t; row < kSize; row += 32) {
        float entry = fabsf(rows[order[row]][step]);
        if (entry > largest) best = row;
        largest = fmaxf(largest, entry);
      }
      for (int away = 16; away > 0; away /= 2) {
        float theirs = __shfl_xor_sync(0xffffffff, largest, away);
        int candidate = __shfl_xor_sync(0xffffffff, best, away);
        bool taken = theirs > largest || (theirs == largest && candidate < best);
        if (taken) best = candidate;
        largest = fmaxf(largest, theirs);
      }
      if (t == 0) {
        int other = order[best];
        order[best] = order[step];
        order[step] = other;
        pivot = other;
      }
    }
    __syncthreads();

    if (t > step && t <= kSize) {
      float scaled = rows[pivot][t] / rows[pivot][step];
      for (int row = 0; row < kSize; ++row) {
        if (row != pivot) rows[row][t] -= rows[row][step] * scaled;
      }
      rows[pivot][t] = scaled;
    }
    __syncthreads();
  }
  if (t < kSize) solutions[blockIdx.x * kSize + t] = rows[order[t]][kSize];
}
