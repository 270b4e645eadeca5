#include <algorithm>
#include <cstddef>

extern "C" void expected(void** arguments) {
  const unsigned char *first = *(const unsigned char**)arguments[0],
                      *second = *(const unsigned char**)arguments[1];
  int* score = *(int**)arguments[2];
  const int pairs = *(int*)arguments[3];
  const int match = *(int*)arguments[4], mismatch = *(int*)arguments[5], gap = *(int*)arguments[6];
  constexpr int kLength = 128;
#pragma omp parallel for
  for (int pair = 0; pair < pairs; ++pair) {
    const unsigned char *a = first + (size_t)pair * kLength, *b = second + (size_t)pair * kLength;
    int table[kLength + 1] = {}, best = 0;
    for (int i = 0; i < kLength; ++i) {
      int diagonal = 0, left = 0;
      for (int j = 1; j <= kLength; ++j) {
        const int change = ((a[i] ^ b[j - 1]) & 3) == 0 ? match : mismatch;
        left = std::max({0, diagonal + change, table[j] - gap, left - gap});
        diagonal = table[j];
        table[j] = left;
        best = std::max(best, left);
      }
    }
    score[pair] = best;
  }
}
