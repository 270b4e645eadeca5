// Looks for the words of known attacks in the text of many connections at once (Aho and Corasick):
// an automaton goes from state to state by the letters, and some states say that a word has just
// ended. A thread follows a connection; the transitions are in shared memory. Text comes by chunks
// of sixteen letters, those of neighbouring connections side by side; halves that are not full end
// with zeros.
#include <cstdint>

constexpr int kStates = 256;
constexpr int kLetters = 128;
constexpr int kTableWords = kStates * kLetters / 4;

struct Finding {
  int words;  // found
  int last;   // chunk in which the last one ended
};

__device__ __forceinline__ int next_state(const uint32_t* table, int state, int letter) {
  return reinterpret_cast<const uint8_t*>(table)[state * kLetters + letter];
}

// Follows up to eight letters and counts the words that end with them.
__device__ __forceinline__ int follow(const uint32_t* table, uint64_t letters, int accepting,
                                      int& state) {
  int words = 0;
  for (; letters != 0; letters >>= 8) {
    state = next_state(table, state, static_cast<int>(letters) & (kLetters - 1));
    words += state >= accepting;
  }
  return words;
}

__global__ void __launch_bounds__(256)
    scan_packets(const uint32_t* __restrict__ transitions, const ulonglong2* __restrict__ texts,
                 int2* __restrict__ findings, int connections, int chunks, int accepting) {
  __shared__ uint32_t table[kTableWords];
  for (int k = threadIdx.x; k < kTableWords; k += blockDim.x) table[k] = transitions[k];
  __syncthreads();
  int connection = blockIdx.x * blockDim.x + threadIdx.x;
  if (connection >= connections) return;
  Finding finding = {0, -1};
  int state = 0;
  for (int chunk = 0; chunk < chunks; ++chunk) {
    ulonglong2 text = texts[static_cast<size_t>(chunk) * connections + connection];
    int words = follow(table, text.x, accepting, state);
    words += follow(table, text.y, accepting, state);
    if (words > 0) finding = {finding.words + words, chunk};
  }
  findings[connection] = {finding.words, finding.last};
}
