// How long ion channels are closed and open, between which they change at random (a Markov chain in
// continuous time): a thread per channel, and the times of all channels added up.

constexpr int kStates = 2;

struct Gate {
  float mean[kStates];   // ticks until something happens
  float leave[kStates];  // how likely that is a change of state
};

__global__ void channel_dwells(const unsigned* __restrict__ seeds, unsigned* __restrict__ dwells,
                               int channels, int changes, Gate gate) {
  __shared__ unsigned ticks[kStates];
  __shared__ Gate shared_gate;
  if (threadIdx.x < kStates) {
    ticks[threadIdx.x] = 0;
    shared_gate.mean[threadIdx.x] = gate.mean[threadIdx.x];
    shared_gate.leave[threadIdx.x] = gate.leave[threadIdx.x];
  }
  __syncthreads();

  int channel = blockIdx.x * blockDim.x + threadIdx.x;
  if (channel < channels) {
    unsigned word = seeds[channel] | 1;
    int state = word >> 31;
    for (int change = 0; change < changes; ++change) {
      word ^= word << 13;
      word ^= word >> 17;
      word ^= word << 5;
      float chance = (static_cast<float>(word >> 9) + 0.5f) * (1.0f / 8388608.0f);
      unsigned stay = static_cast<unsigned>(1.0f - shared_gate.mean[state] * __logf(chance));
      atomicAdd(&ticks[state], stay);

      float turn = static_cast<float>(word * 2654435761u >> 8) * (1.0f / 16777216.0f);
      if (turn < shared_gate.leave[state]) state = 1 - state;
    }
  }
  __syncthreads();
  if (threadIdx.x < kStates) atomicAdd(&dwells[threadIdx.x], ticks[threadIdx.x]);
}
