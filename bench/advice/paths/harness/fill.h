// Contents of a buffer: the generator of docs/arguments.md, so that burin and the harness see the
// same bytes.
//
//   std::vector<std::byte> bytes(32);
//   fill(bytes.data(), bytes.size(), "rowptr", 5, /*seed=*/7);   // 0, 3, 13, 16, 20, 24, 30, 35
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace paths {

inline uint64_t mix(uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

inline uint64_t word(uint64_t seed, uint64_t i) {
  return mix(seed + (i + 1) * 0x9e3779b97f4a7c15u);
}

inline uint64_t below(uint64_t w, uint64_t n) {
  return ((w >> 32) * n) >> 32;
}

inline uint32_t permuted(uint64_t seed, uint64_t i, uint64_t n) {
  int bits = 0;
  while (bits < 32 && (n - 1) >> bits != 0) ++bits;
  const int high_bits = bits / 2, low_bits = bits - high_bits;
  const uint64_t low_mask = (1ull << low_bits) - 1, high_mask = (1ull << high_bits) - 1;
  do {
    uint64_t low = i & low_mask, high = i >> low_bits;
    low ^= mix(word(seed, 0) + high) & low_mask;
    high ^= mix(word(seed, 1) + low) & high_mask;
    low ^= mix(word(seed, 2) + high) & low_mask;
    high ^= mix(word(seed, 3) + low) & high_mask;
    i = (high << low_bits) + low;
  } while (i >= n);
  return static_cast<uint32_t>(i);
}

template <typename Element, typename Value>
void fill_elements(void* memory, size_t bytes, Value value) {
  Element* const elements = static_cast<Element*>(memory);
  const size_t count = bytes / sizeof(Element);
#pragma omp parallel for
  for (size_t i = 0; i < count; ++i) elements[i] = static_cast<Element>(value(i));
}

// Whether the fill is known. `undef` and no fill become 0xff bytes: NaNs, so that an element which
// a kernel does not write is noticed.
inline bool fill(void* memory, size_t bytes, const std::string& kind, uint64_t n, uint64_t seed) {
  if (kind == "zero") {
    std::memset(memory, 0, bytes);
  } else if (kind == "undef" || kind == "none") {
    std::memset(memory, 0xff, bytes);
  } else if (kind == "u8") {
    fill_elements<uint64_t>(memory, bytes, [&](size_t i) { return word(seed, i); });
    const uint64_t last = word(seed, bytes / 8);
    std::memcpy(static_cast<char*>(memory) + bytes / 8 * 8, &last, bytes % 8);
  } else if (kind == "f32") {
    fill_elements<float>(memory, bytes, [&](size_t i) { return (word(seed, i) >> 40) * 0x1p-24f; });
  } else if (kind == "f64") {
    fill_elements<double>(memory, bytes, [&](size_t i) { return (word(seed, i) >> 11) * 0x1p-53; });
  } else if (kind == "int") {
    fill_elements<uint32_t>(memory, bytes, [&](size_t i) { return below(word(seed, i), n); });
  } else if (kind == "perm") {
    fill_elements<uint32_t>(memory, bytes, [&](size_t i) { return permuted(seed, i, bytes / 4); });
  } else if (kind == "rowptr") {
    const size_t last = bytes / 4 - 1;
    fill_elements<uint32_t>(memory, bytes, [&](size_t i) {
      return i == 0 || i == last ? i * n : i * n + below(word(seed, i), n + 1) - n / 2;
    });
  } else {
    return false;
  }
  return true;
}

}  // namespace paths
