// Cache lines by number: a line's number is its address divided by kLineBytes.
#pragma once

#include <cstdint>

#include "base/hash.h"

namespace burin::timing {

// Bytes of a cache line, L1's and L2's; its sectors are 32 bytes. All GPUs from sm_75 to sm_120
// have these sizes and traces are built on them: they are no machine facts.
inline constexpr unsigned kLineBytes = 128;

// A cache line and which of its four sectors are touched.
struct LineUse {
  std::uint64_t packed = 0;

  LineUse() = default;
  LineUse(std::uint64_t address, unsigned sectors)
      : packed((address / kLineBytes) << 4 | sectors) {}
  std::uint64_t line() const { return packed >> 4; }  // the address / kLineBytes
  unsigned sectors() const { return packed & 0xf; }   // a bit for each
};

// Spreads line numbers over sets and samples alike: a multiple of any power of two is no worse.
inline std::uint64_t scatter(std::uint64_t number) {
  number = fibonacci_hash(number ^ number >> 17);
  return number ^ number >> 29;
}

// Line numbers of local memory begin here; those of Unknown addresses are far above.
inline constexpr std::uint64_t kLocalLines = std::uint64_t{1} << 40;
inline constexpr std::uint64_t kUnknownLines = (std::uint64_t{1} << 52) / kLineBytes;

// The partition of the L2 cache that a line's memory belongs to, where there are two.
inline unsigned partition_of(std::uint64_t line) {
  return static_cast<unsigned>(scatter(line) >> 20 & 1);
}

}  // namespace burin::timing
