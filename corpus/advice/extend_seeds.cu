// Protein search: a short match of a query and a sequence of the database (a seed) is extended
// without gaps, and the best score of any beginning of the extension counts. Residues are five
// bits of a byte, four bytes a word; the words of all seeds at one place lie side by side. How
// alike two residues are stands in a table of 32 by 32.

constexpr int kResidues = 32, kBytes = 4;

__device__ __forceinline__ unsigned residue(unsigned word, int byte) {
  return word >> (8 * byte) & (kResidues - 1);
}

__global__ void __launch_bounds__(256)
    extend_seeds(const unsigned* __restrict__ queries, const unsigned* __restrict__ subjects,
                 const int* __restrict__ alikeness, int2* __restrict__ extensions, int seeds,
                 int words, int usual) {
  int seed = blockIdx.x * blockDim.x + threadIdx.x;
  if (seed >= seeds) return;
  int score = 0, best = 0, length = 0;
  for (int word = 0; word < words; ++word) {
    unsigned query = queries[word * seeds + seed], subject = subjects[word * seeds + seed];
#pragma unroll
    for (int byte = 0; byte < kBytes; ++byte) {
      unsigned pair = residue(query, byte) * kResidues + residue(subject, byte);
      score += alikeness[pair] - usual;
      length = score > best ? word * kBytes + byte + 1 : length;
      best = max(best, score);
    }
  }
  extensions[seed] = {best, length};
}
