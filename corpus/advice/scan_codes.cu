// Distances of compressed vectors from queries: a vector is 64 bytes, each the number of an entry
// in one of 64 tables, which every query has of its own. Kept is the least distance per thread.

constexpr int kThreads = 256, kTables = 64, kEntries = 256;

__global__ void __launch_bounds__(kThreads)
    scan_codes(const float* __restrict__ tables, const unsigned* __restrict__ codes,
               float* __restrict__ least, int* __restrict__ winners, int queries, int vectors) {
  for (int query = blockIdx.x; query < queries; query += gridDim.x) {
    const float* own = tables + static_cast<size_t>(query) * kTables * kEntries;
    float best = 1e30f;
    int winner = -1;

    for (int vector = threadIdx.x; vector < vectors; vector += kThreads) {
      float sums[4] = {};
#pragma unroll 4
      for (int word = 0; word < kTables / 4; ++word) {
        unsigned four = codes[word * vectors + vector];
        const float* table = own + 4 * word * kEntries;
        sums[0] += table[four & 255];
        sums[1] += table[kEntries + (four >> 8 & 255)];
        sums[2] += table[2 * kEntries + (four >> 16 & 255)];
        sums[3] += table[3 * kEntries + (four >> 24)];
      }

      float distance = (sums[0] + sums[1]) + (sums[2] + sums[3]);
      if (distance < best) {
        best = distance;
        winner = vector;
      }
    }
    least[query * kThreads + threadIdx.x] = best;
    winners[query * kThreads + threadIdx.x] = winner;
  }
}
