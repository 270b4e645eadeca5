#include <algorithm>
#include <cstdint>
#include <vector>

// Probes of 32 bases, two bits each, in 64-bit words.
extern "C" void expected(void** arguments) {
  const unsigned char *sequence = *(const unsigned char**)arguments[0],
                      *probes = *(const unsigned char**)arguments[1];
  unsigned char* best = *(unsigned char**)arguments[2];
  const int positions = *(int*)arguments[3], probe_count = *(int*)arguments[4],
            length = *(int*)arguments[5];
  const auto pack = [&](const unsigned char* bases) {
    uint64_t word = 0;
    for (int k = 0; k < length; ++k) word |= (uint64_t)(bases[k] & 3) << 2 * k;
    return word;
  };
  std::vector<uint64_t> packed;
  for (int i = 0; i < probe_count; ++i) packed.push_back(pack(probes + i * length));
#pragma omp parallel for
  for (int p = 0; p < positions; ++p) {
    const uint64_t here = pack(sequence + p);
    int smallest = length;
    for (const uint64_t probe : packed) {
      const uint64_t different = here ^ probe;
      smallest = std::min(smallest,
                          __builtin_popcountll((different | different >> 1) & 0x5555555555555555));
    }
    best[p] = (unsigned char)smallest;
  }
}
