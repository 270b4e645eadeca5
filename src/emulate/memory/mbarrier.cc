#include "emulate/memory/mbarrier.h"

namespace burin::emulate {

namespace {

constexpr std::uint32_t kCountLimit = 1 << 20;
constexpr std::uint32_t kCountMask = kCountLimit - 1;
constexpr unsigned kByteBits = 22;
constexpr std::uint32_t kByteMask = (1 << kByteBits) - 1;

}  // namespace

Mbarrier unpack(std::uint64_t word) {
  const auto count_at = [&](unsigned bit) {
    return (kCountLimit - (static_cast<std::uint32_t>(word >> bit) & kCountMask)) & kCountMask;
  };
  const std::uint32_t bytes = static_cast<std::uint32_t>(word >> 21) & kByteMask;
  return {.phase = word >> 63 != 0,
          .pending = count_at(43),
          .expected = count_at(1),
          // The sign is in the field's highest bit.
          .bytes = static_cast<std::int32_t>(bytes << (32 - kByteBits)) >> (32 - kByteBits)};
}

std::uint64_t pack(const Mbarrier& barrier) {
  const auto count = [](std::uint32_t n) { return std::uint64_t{(kCountLimit - n) & kCountMask}; };
  return std::uint64_t{barrier.phase} << 63 | count(barrier.pending) << 43 |
         std::uint64_t{static_cast<std::uint32_t>(barrier.bytes) & kByteMask} << 21 |
         count(barrier.expected) << 1;
}

bool change(Mbarrier& barrier, const BarrierChange& change) {
  constexpr std::int32_t kMaxBytes = kCountLimit - 1;
  const std::int32_t bytes = barrier.bytes + change.bytes;
  if (change.arrivals > barrier.pending || bytes > kMaxBytes || bytes < -kMaxBytes) return false;
  barrier.pending -= change.arrivals;
  barrier.bytes = bytes;
  if (change.drop) {
    barrier.expected -= change.arrivals < barrier.expected ? change.arrivals : barrier.expected;
  }
  if (barrier.pending == 0 && barrier.bytes == 0) {
    barrier.phase = !barrier.phase;
    barrier.pending = barrier.expected;
  }
  return true;
}

std::uint64_t arrive_sm80(std::uint64_t word) {
  constexpr std::uint32_t kPhase = 0x80000000;
  const auto low = static_cast<std::uint32_t>(word);
  std::uint32_t high = static_cast<std::uint32_t>(word >> 32) + 1;  // the last one carries
  if ((high & ~kPhase) == 0) high |= (low + 0x40000000) & ~kPhase;
  return std::uint64_t{high} << 32 | low;
}

}  // namespace burin::emulate
