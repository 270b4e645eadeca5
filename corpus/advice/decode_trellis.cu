// Soft decoding of a convolutional code of constraint length four, by Viterbi's algorithm: a thread
// decodes a frame. For each pair of received values the metrics of the eight states are updated,
// and the decisions are stored, a bit per state.

constexpr int kStates = 8;
constexpr int kPairs = 8;  // pairs of 8-bit values in 16 bytes

// The two code bits that go out when a bit is shifted into a state (generators 13 and 15, octal).
__device__ __forceinline__ constexpr int code_bits(int state, int bit) {
  int window = state | bit << 3;
  int first = (window ^ window >> 1 ^ window >> 3) & 1;
  int second = (window ^ window >> 2 ^ window >> 3) & 1;
  return first | second << 1;
}

// Frames lie side by side: 16 bytes of each frame, then the next 16.
__global__ void __launch_bounds__(128)
    decode_trellis(const uint4* __restrict__ received, uint2* __restrict__ decisions,
                   int* __restrict__ scores, int frames, int length) {
  int frame = blockIdx.x * blockDim.x + threadIdx.x;
  if (frame >= frames) return;
  int metrics[2][kStates];  // of this step and the next, in turn
  for (int state = 0; state < kStates; ++state) metrics[0][state] = state == 0 ? 0 : -10000;
  for (int group = 0; group < length; ++group) {
    uint4 block = received[static_cast<size_t>(group) * frames + frame];
    unsigned words[4] = {block.x, block.y, block.z, block.w};
    uint2 chosen = {};
#pragma unroll 1
    for (int k = 0; k < kPairs; ++k) {
      int one = static_cast<int>(words[0] & 255) - 128;
      int two = static_cast<int>(words[0] >> 8 & 255) - 128;
      int gains[4] = {-one - two, one - two, two - one, one + two};
      unsigned bits = 0;
      const int* now = metrics[k % 2];
      int* next = metrics[(k + 1) % 2];
#pragma unroll
      for (int state = 0; state < kStates; ++state) {
        // The states before this one differ in the bit that was shifted out.
        int low = state << 1 & 7, high = low | 1, bit = state >> 2;
        int from_low = now[low] + gains[code_bits(low, bit)];
        int from_high = now[high] + gains[code_bits(high, bit)];
        next[state] = max(from_low, from_high);
        if (from_high > from_low) bits |= 1u << state;
      }
      chosen = {chosen.x >> 8 | chosen.y << 24, chosen.y >> 8 | bits << 24};
      words[0] = words[0] >> 16 | words[1] << 16;
      words[1] = words[1] >> 16 | words[2] << 16;
      words[2] = words[2] >> 16 | words[3] << 16;
      words[3] >>= 16;
    }
    decisions[static_cast<size_t>(group) * frames + frame] = chosen;
  }
  int best = metrics[0][0];
  for (int state = 1; state < kStates; ++state) best = max(best, metrics[0][state]);
  scores[frame] = best;
}
