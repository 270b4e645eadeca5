// Two hashes of each of many texts, whose words are interleaved, and how many distinct bits they
// set in a filter of 32 bits.

__device__ __noinline__ unsigned mixed(unsigned hash, unsigned word) {
  hash ^= word;
  hash *= 0x01000193u;
  return hash ^ hash >> 15;
}

__global__ void hash_words(const unsigned* __restrict__ words, unsigned* __restrict__ hashes,
                           int* __restrict__ bits, int texts, int length) {
  int text = blockIdx.x * blockDim.x + threadIdx.x;
  if (text >= texts) return;
  unsigned first = 0x811c9dc5u;
  unsigned second = 0x9747b28cu;
  unsigned filter = 0;

  for (int k = 0; k < length; ++k) {
    unsigned word = words[k * texts + text];
    for (int shift = 0; shift < 32; shift += 8) {
      unsigned letter = word >> shift & 0xffu;
      first = mixed(first, letter);
      second = mixed(second, letter ^ 0x5au);
    }
    filter |= 1u << (first & 31u);
    filter |= 1u << (second & 31u);
  }

  unsigned combined = first ^ (second << 7 | second >> 25);
  if (combined == 0) {
    combined = 1;
  }
  int set = __popc(filter);
  if (set > 24) {
    set = 24;
  }
  hashes[text] = combined;
  bits[text] = set;
}
