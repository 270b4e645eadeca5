#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" __attribute__((target("popcnt"))) void expected(void** arguments) {
  const char *queries = *(const char**)arguments[0], *codes = *(const char**)arguments[1];
  int *nearest = *(int**)arguments[2], *distance = *(int**)arguments[3];
  const int num_queries = *(int*)arguments[4], num_codes = *(int*)arguments[5];
#pragma omp parallel for
  for (int q = 0; q < num_queries; ++q) {
    uint64_t query[4], code[4];
    std::memcpy(query, queries + (size_t)q * 32, 32);
    int best = 0, best_distance = 257;
    for (int c = 0; c < num_codes; ++c) {
      std::memcpy(code, codes + (size_t)c * 32, 32);
      int d = 0;
      for (int w = 0; w < 4; ++w) d += __builtin_popcountll(query[w] ^ code[w]);
      if (d < best_distance) best_distance = d, best = c;
    }
    nearest[q] = best;
    distance[q] = best_distance;
  }
}
