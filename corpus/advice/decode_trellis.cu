// Soft decoding of a convolutional code by Viterbi's algorithm: a thread decodes a frame. For each
// pair of received values the metrics of all states are updated, and the decisions are stored, a
// bit per state. How many states there are is known at run time only.

constexpr int kMaxStates = 16;
constexpr int kPairs = 8;  // pairs of 8-bit values in 16 bytes

struct Code {
  int states;              // a power of two
  unsigned first, second;  // generators
};

// The two bits that go out when a bit is shifted into a state, of all states and both bits.
__device__ __forceinline__ void list_outputs(unsigned char* outputs, const Code& code) {
  for (int window = threadIdx.x; window < 2 * code.states; window += blockDim.x) {
    int first = __popc(window & code.first) & 1, second = __popc(window & code.second) & 1;
    outputs[window] = static_cast<unsigned char>(first | second << 1);
  }
}

__device__ __forceinline__ int gain_of(unsigned output, int one, int two) {
  return (output & 1 ? one : -one) + (output & 2 ? two : -two);
}

// Frames lie side by side: 16 bytes of each frame, then the next 16.
__global__ void __launch_bounds__(128)
    decode_trellis(const uint4* __restrict__ received, uint4* __restrict__ decisions,
                   int* __restrict__ scores, int frames, int length, Code code) {
  __shared__ unsigned char outputs[2 * kMaxStates];
  list_outputs(outputs, code);
  __syncthreads();
  int frame = blockIdx.x * blockDim.x + threadIdx.x;
  if (frame >= frames) return;
  int now[kMaxStates], next[kMaxStates];
  for (int state = 0; state < code.states; ++state) now[state] = state == 0 ? 0 : -10000;
  for (int group = 0; group < length; ++group) {
    uint4 words = received[static_cast<size_t>(group) * frames + frame];
    uint4 chosen = {};
    for (int k = 0; k < kPairs; ++k) {
      int one = static_cast<int>(words.x & 255) - 128;
      int two = static_cast<int>(words.x >> 8 & 255) - 128;
      unsigned bits = 0;
      for (int state = 0; state < code.states; ++state) {
        // The states before this one differ in the bit that was shifted out.
        int window = state << 1, low = window & (code.states - 1);
        int from_low = now[low] + gain_of(outputs[window], one, two);
        int from_high = now[low + 1] + gain_of(outputs[window + 1], one, two);
        next[state] = max(from_low, from_high);
        if (from_high > from_low) bits |= 1u << state;
      }
      for (int state = 0; state < code.states; ++state) now[state] = next[state];
      chosen = {chosen.x >> 16 | chosen.y << 16, chosen.y >> 16 | chosen.z << 16,
                chosen.z >> 16 | chosen.w << 16, chosen.w >> 16 | bits << 16};
      words = {words.x >> 16 | words.y << 16, words.y >> 16 | words.z << 16,
               words.z >> 16 | words.w << 16, words.w >> 16};
    }
    decisions[static_cast<size_t>(group) * frames + frame] = chosen;
  }
  int best = now[0];
  for (int state = 1; state < code.states; ++state) best = max(best, now[state]);
  scores[frame] = best;
}
