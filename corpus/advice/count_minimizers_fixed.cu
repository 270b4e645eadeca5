// How often short words of a genome occur, for a quick comparison with others. Counted are only
// minimizers: of eight words of six bases that follow each other, the one that comes first in a
// scrambled order. Bases are packed by 16; a thread takes pack after pack.

constexpr int kWord = 6, kWindow = 8;
constexpr unsigned kWords = 1u << 2 * kWord;

// A word and its other strand count as one.
__device__ __forceinline__ unsigned canonical(unsigned word) {
  unsigned turned = __brev(~word);
  turned = (turned & 0x55555555u) << 1 | (turned & 0xaaaaaaaau) >> 1;
  return min(word, turned >> (32 - 2 * kWord));
}

// One to one, and no neighbour of a word is near it.
__device__ __forceinline__ unsigned scrambled(unsigned word) {
  word = word * 0x5f5u & (kWords - 1);
  word ^= word >> 5;
  word = word * 0x2c9u & (kWords - 1);
  return word ^ word >> 7;
}

__device__ __forceinline__ unsigned minimizer(unsigned long long bases) {
  unsigned first = ~0u, chosen = 0;
#pragma unroll
  for (int k = 0; k < kWindow; ++k) {
    unsigned word = canonical(static_cast<unsigned>(bases >> 2 * k) & (kWords - 1));
    unsigned order = scrambled(word);
    if (order < first) {
      first = order;
      chosen = word;
    }
  }
  return chosen;
}

__global__ void count_minimizers(const unsigned* __restrict__ genome, unsigned* __restrict__ counts,
                                 int packs) {
  __shared__ unsigned own[kWords];
  for (unsigned word = threadIdx.x; word < kWords; word += blockDim.x) own[word] = 0;
  __syncthreads();
  int stride = gridDim.x * blockDim.x;
  for (int pack = blockIdx.x * blockDim.x + threadIdx.x; pack < packs; pack += stride) {
    unsigned long long bases =
        static_cast<unsigned long long>(genome[pack + 1]) << 32 | genome[pack];
    for (int window = 0; window < 16 / kWindow; ++window) {
      atomicAdd(&own[minimizer(bases)], 1u);
      bases >>= 2 * kWindow;
    }
  }
  __syncthreads();
  for (unsigned word = threadIdx.x; word < kWords; word += blockDim.x) {
    if (own[word] != 0) atomicAdd(&counts[word], own[word]);
  }
}
