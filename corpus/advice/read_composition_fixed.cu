// How often each pair of neighbouring bases occurs in DNA reads, and how far that is from what the
// genome has on the whole: a thread per read, whose bases are packed by sixteen.

constexpr int kPairs = 16;

__global__ void read_composition(const unsigned* __restrict__ reads,
                                 const float* __restrict__ background,
                                 float* __restrict__ departures, int* __restrict__ commonest,
                                 int count, int words) {
  int read = blockIdx.x * blockDim.x + threadIdx.x;
  if (read >= count) return;
  int seen[kPairs] = {};
  unsigned pair = reads[read] & 3;

  for (int word = 0; word < words; ++word) {
    unsigned bases = reads[word * count + read];
    for (int k = word == 0 ? 1 : 0; k < 16; ++k) {
      pair = (pair << 2 | bases >> 2 * k & 3) & 15;
#pragma unroll
      for (int p = 0; p < kPairs; ++p) seen[p] += pair == p ? 1 : 0;
    }
  }

  float total = static_cast<float>(16 * words - 1);
  float departure = 0;
  int most = 0;
#pragma unroll
  for (int k = 0; k < kPairs; ++k) {
    float expected = total * (0.03f + 0.065f * background[k]);
    float off = static_cast<float>(seen[k]) - expected;
    departure += off * off / expected;
    most = max(most, seen[k] * kPairs + k);
  }
  departures[read] = departure;
  commonest[read] = most % kPairs;
}
