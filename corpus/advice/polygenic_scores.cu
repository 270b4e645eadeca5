// The inherited risk of many people: over the variants of their genomes, how many copies each has
// (0, 1 or 2; 3 stands for not known) times the variant's effect, summed. Genotypes are packed, 16
// variants of a person in a word; the same word of neighbours lies side by side.
#include <cstdint>

constexpr int kChunk = 512, kPacked = 16;

struct Score {
  float risk;
  int missing;
};

__device__ __forceinline__ int copies_of(uint32_t word, int slot) { return word >> (2 * slot) & 3; }

__global__ void __launch_bounds__(256)
    polygenic_scores(const uint32_t* __restrict__ genotypes, const float* __restrict__ effects,
                     const float* __restrict__ means, Score* __restrict__ scores, int people,
                     int variants) {
  __shared__ float effect[kChunk], mean[kChunk];
  int person = blockIdx.x * blockDim.x + threadIdx.x;
  Score score = {0, 0};
  for (int first = 0; first < variants; first += kChunk) {
    __syncthreads();
    for (int k = threadIdx.x; k < kChunk; k += blockDim.x) {
      effect[k] = effects[first + k];
      mean[k] = means[first + k];
    }
    __syncthreads();
    if (person >= people) continue;
    for (int k = 0; k < kChunk; ++k) {
      int variant = first + k;
      uint32_t word = genotypes[static_cast<size_t>(variant / kPacked) * people + person];
      int copies = copies_of(word, variant % kPacked);
      bool known = copies < 3;
      score.risk += (known ? copies : mean[k]) * effect[k];
      score.missing += !known;
    }
  }
  if (person < people) scores[person] = score;
}
