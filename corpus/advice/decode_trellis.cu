// Soft decoding of a convolutional code of constraint length four, by Viterbi's algorithm: a thread
// decodes a frame. For each pair of received values the metrics of the eight states are updated,
// and the decisions are stored, a bit per state.

constexpr int kStates = 8;

// The two code bits that go out when a bit is shifted into a state (generators 13 and 15, octal).
__device__ __forceinline__ constexpr int code_bits(int state, int bit) {
  int window = state | bit << 3;
  int first = (window ^ window >> 1 ^ window >> 3) & 1;
  int second = (window ^ window >> 2 ^ window >> 3) & 1;
  return first | second << 1;
}

// Frames lie side by side: value k of all frames, then value k + 1.
__global__ void __launch_bounds__(128)
    decode_trellis(const float2* __restrict__ received, unsigned char* __restrict__ decisions,
                   float* __restrict__ scores, int frames, int length) {
  int frame = blockIdx.x * blockDim.x + threadIdx.x;
  if (frame >= frames) return;
  float first[kStates], second[kStates];
  float *now = first, *next = second;
  for (int state = 0; state < kStates; ++state) now[state] = state == 0 ? 0.0f : -100.0f;
  for (int k = 0; k < length; ++k) {
    float2 pair = received[static_cast<size_t>(k) * frames + frame];
    float one = pair.x - 0.5f, two = pair.y - 0.5f;
    float gains[4] = {-one - two, one - two, two - one, one + two};
    unsigned char chosen = 0;
#pragma unroll
    for (int state = 0; state < kStates; ++state) {
      // The states before this one differ in the bit that was shifted out.
      int low = state << 1 & 7, high = low | 1, bit = state >> 2;
      float from_low = now[low] + gains[code_bits(low, bit)];
      float from_high = now[high] + gains[code_bits(high, bit)];
      next[state] = fmaxf(from_low, from_high);
      if (from_high > from_low) chosen |= 1 << state;
    }
    decisions[static_cast<size_t>(k) * frames + frame] = chosen;
    float* swapped = now;
    now = next;
    next = swapped;
  }
  float best = now[0];
  for (int state = 1; state < kStates; ++state) best = fmaxf(best, now[state]);
  scores[frame] = best;
}
