// Which keys does a Bloom filter of bit_count bits, a power of two, hold? Eight probes a key.

__device__ unsigned long long scrambled(unsigned long long word) {
  word ^= word >> 33;
  word *= 0xff51afd7ed558ccdull;
  word ^= word >> 33;
  word *= 0xc4ceb9fe1a85ec53ull;
  word ^= word >> 33;
  return word;
}

__global__ void bloom_query(const unsigned* __restrict__ keys, const unsigned* __restrict__ filter,
                            unsigned char* __restrict__ found, unsigned long long bit_count,
                            int count) {
  constexpr int kProbes = 8;
  int stride = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
    unsigned key = keys[i];
    unsigned long long first = scrambled(key);
    unsigned long long second = scrambled(first ^ 0x9e3779b97f4a7c15ull) | 1;

    unsigned long long places[kProbes];
#pragma unroll
    for (int probe = 0; probe < kProbes; ++probe) {
      places[probe] = (first + probe * second) % bit_count;
    }

    unsigned words[kProbes];
#pragma unroll
    for (int probe = 0; probe < kProbes; ++probe) {
      words[probe] = filter[places[probe] / 32];
    }

    unsigned hits = 1;
#pragma unroll
    for (int probe = 0; probe < kProbes; ++probe) {
      hits &= words[probe] >> (places[probe] & 31);
    }
    found[i] = static_cast<unsigned char>(hits);
  }
}
