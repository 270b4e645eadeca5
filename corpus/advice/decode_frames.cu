// Decodes frames that were sent with a convolutional code of rate 1/2 and four states (7, 5 in
// octal), by Viterbi's method: forward, the better way into each state is kept for every step; from
// the end, the ways are followed back. A thread has a frame. What it keeps of its steps is in
// shared memory, as much as the launch makes room for: a byte of each step.
#include <cstdint>

constexpr int kThreads = 64, kStates = 4;

// Soft values of the two bits of a step, far from zero where they are sure.
struct Symbol {
  int8_t first, second;
};

// How well a branch that sends bits `first` and `second` fits what was received.
__device__ __forceinline__ int fit(Symbol symbol, bool first, bool second) {
  return (first ? symbol.first : -symbol.first) + (second ? symbol.second : -symbol.second);
}

__device__ __forceinline__ unsigned decide(int (&metrics)[kStates], Symbol symbol) {
  int next[kStates];
  unsigned kept = 0;
#pragma unroll
  for (int state = 0; state < kStates; ++state) {
    int bit = state >> 1, low = (state & 1) << 1, high = low | 1;  // the states it may come from
    int one = metrics[low] + fit(symbol, bit ^ (low >> 1), bit ^ (low >> 1) ^ (low & 1));
    int other = metrics[high] + fit(symbol, bit ^ (high >> 1) ^ 1, bit ^ (high >> 1) ^ (high & 1));
    next[state] = max(one, other);
    if (other > one) kept |= 1u << state;
  }
#pragma unroll
  for (int state = 0; state < kStates; ++state) metrics[state] = next[state];
  return kept;
}

// Symbols lie step by step, the decoded bits by words of 32 steps; frames have a multiple of that.
__global__ void __launch_bounds__(kThreads)
    decode_frames(const Symbol* __restrict__ symbols, uint32_t* __restrict__ bits, int frames,
                  int steps) {
  extern __shared__ uint8_t ways[];
  int frame = blockIdx.x * kThreads + threadIdx.x;
  if (frame >= frames) return;
  int metrics[kStates] = {0, -1000, -1000, -1000};
  for (int step = 0; step < steps; ++step) {
    Symbol symbol = symbols[static_cast<size_t>(step) * frames + frame];
    ways[step * kThreads + threadIdx.x] = decide(metrics, symbol);
  }

  int state = 0;  // where frames end
  uint32_t word = 0;
  for (int step = steps - 1; step >= 0; --step) {
    word |= static_cast<uint32_t>(state >> 1) << step % 32;
    unsigned way = ways[step * kThreads + threadIdx.x] >> state & 1;
    state = (state & 1) << 1 | way;
    if (step % 32 == 0) {
      bits[static_cast<size_t>(step / 32) * frames + frame] = word;
      word = 0;
    }
  }
}
