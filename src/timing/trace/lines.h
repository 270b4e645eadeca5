// Cache lines identified by number: the number of a line is its address divided by kLineBytes.
#pragma once

#include <cstdint>

#include "base/hash.h"

namespace burin::timing {

// Bytes of an L1 or L2 cache line; a sector is 32 bytes. All GPUs from sm_75 to sm_120 have these
// sizes and traces depend on them, so they are not machine entries.
inline constexpr unsigned kLineBytes = 128;

// A cache line, and which of its four sectors are accessed.
struct LineUse {
  std::uint64_t packed = 0;

  LineUse() = default;
  LineUse(std::uint64_t address, unsigned sectors)
      : packed((address / kLineBytes) << 4 | sectors) {}
  std::uint64_t line() const { return packed >> 4; }  // line number: address / kLineBytes
  unsigned sectors() const { return packed & 0xf; }   // bit mask
};

// Hashes line numbers for cache sets and for sampling. Multiples of any power of two spread as well
// as other numbers.
inline std::uint64_t scatter(std::uint64_t number) {
  number = fibonacci_hash(number ^ number >> 17);
  return number ^ number >> 29;
}

// Line numbers of local memory start at kLocalLines; those of Unknown addresses are far above.
inline constexpr std::uint64_t kLocalLines = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kUnknownLines = (std::uint64_t{1} << 52) / kLineBytes;

// Returns the L2 partition that owns a line's memory, on GPUs with two partitions.
inline unsigned partition_of(std::uint64_t line) {
  return static_cast<unsigned>(scatter(line) >> 20 & 1);
}

}  // namespace burin::timing
