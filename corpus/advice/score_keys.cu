// Breaks a cipher that combines a text with a repeated key by exclusive or: for each of many
// candidate keys, how much the deciphered text looks like the language, by the logarithms of how
// often it uses each letter. A thread has a key; the letters of all keys at one place lie side by
// side.

constexpr int kLetters = 256;

__device__ __forceinline__ int followed(int letter, int before) {
  return (letter + 7 * before) & (kLetters - 1);
}

__global__ void __launch_bounds__(256)
    score_keys(const unsigned char* __restrict__ text, const unsigned char* __restrict__ keys,
               const float* __restrict__ language, float* __restrict__ scores,
               int* __restrict__ spaces, int text_length, int key_length, int count) {
  __shared__ float logarithms[kLetters];
  for (int letter = threadIdx.x; letter < kLetters; letter += blockDim.x) {
    logarithms[letter] = language[letter];
  }
  __syncthreads();
  int candidate = blockIdx.x * blockDim.x + threadIdx.x;
  if (candidate >= count) return;

  const unsigned char* key = keys + candidate;
  float score = 0.0f;
  int blanks = 0, before = ' ';
  for (int i = 0; i < text_length; ++i) {
    int letter = text[i] ^ key[i % key_length * count];
    score += logarithms[followed(letter, before)];
    blanks += letter == ' ';
    before = letter;
  }
  scores[candidate] = score;
  spaces[candidate] = blanks;
}
