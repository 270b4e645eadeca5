// A stream cipher of 20 rounds on 16 words: each thread enciphers messages of `blocks` times 64
// bytes.

__device__ __forceinline__ unsigned rotated(unsigned word, int bits) {
  return __funnelshift_l(word, word, bits);
}

__device__ __forceinline__ void quarter(unsigned& a, unsigned& b, unsigned& c, unsigned& d) {
  a += b;
  d = rotated(d ^ a, 16);
  c += d;
  b = rotated(b ^ c, 12);
  a += b;
  d = rotated(d ^ a, 8);
  c += d;
  b = rotated(b ^ c, 7);
}

__global__ void cipher_stream(const unsigned* __restrict__ plain, unsigned* __restrict__ cipher,
                              unsigned nonce, int messages, int blocks) {
  constexpr int kRounds = 20, kAtOnce = 4;
  int message = blockIdx.x * blockDim.x + threadIdx.x;
  if (message >= messages) return;
  unsigned key[16];
#pragma unroll
  for (int k = 0; k < 16; ++k) key[k] = nonce * (2 * k + 1) + 0x61707865u;
  key[12] = message;

  for (int repeat = 0; repeat < 4; ++repeat) {
#pragma unroll
    for (int block = 0; block < kAtOnce; ++block) {
      key[13] = block + kAtOnce * repeat;
      unsigned state[16];
#pragma unroll
      for (int k = 0; k < 16; ++k) state[k] = key[k];
#pragma unroll 1
      for (int round = 0; round < kRounds; round += 2) {
        quarter(state[0], state[4], state[8], state[12]);
        quarter(state[1], state[5], state[9], state[13]);
        quarter(state[2], state[6], state[10], state[14]);
        quarter(state[3], state[7], state[11], state[15]);
        quarter(state[0], state[5], state[10], state[15]);
        quarter(state[1], state[6], state[11], state[12]);
        quarter(state[2], state[7], state[8], state[13]);
        quarter(state[3], state[4], state[9], state[14]);
      }
#pragma unroll
      for (int k = 0; k < 16; ++k) {
        unsigned word = block < blocks ? plain[(16 * block + k) * messages + message] : 0;
        word ^= state[k] + key[k];
        if (block < blocks) cipher[(16 * block + k) * messages + message] = word;
      }
    }
  }
}
