#include "gpu/record/floating_point.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace burin::gpu {
namespace {

constexpr double kNearlyAll = 0.95;

// A format: which bits of a number to look at, and what they are in ordinary numbers.
struct Format {
  unsigned bytes;
  unsigned at, bits;  // position of the lowest bit, and their number
  std::uint64_t least, most;
};
constexpr Format kSmallIntegers = {4, 24, 8, 0, 0};
constexpr Format kFloatingPoint[] = {
    // by their exponents
    {8, 52, 11, 1023 - 140, 1023 + 140},
    {4, 23, 8, 127 - 50, 127 + 50},
    {2, 10, 5, 15 - 10, 15 + 8},    // half precision
    {2, 7, 8, 127 - 20, 127 + 12},  // bfloat16
};

bool looks_like(const Format& format, Bytes bytes) {
  const std::uint64_t mask = (std::uint64_t{1} << format.bits) - 1;
  std::uint64_t numbers = 0, ordinary = 0;
  for (std::size_t at = 0; at + format.bytes <= bytes.size(); at += format.bytes) {
    std::uint64_t number = 0;
    std::memcpy(&number, bytes.data() + at, format.bytes);
    if (number == 0) continue;
    const std::uint64_t looked_at = number >> format.at & mask;
    ++numbers;
    ordinary += looked_at >= format.least && looked_at <= format.most ? 1 : 0;
  }
  return numbers > 0 && static_cast<double>(ordinary) >= kNearlyAll * static_cast<double>(numbers);
}

}  // namespace

bool holds_floating_point(Bytes bytes) {
  // The lower half of an index may look like a number of half precision.
  if (looks_like(kSmallIntegers, bytes)) return false;
  return std::ranges::any_of(kFloatingPoint,
                             [&](const Format& format) { return looks_like(format, bytes); });
}

}  // namespace burin::gpu
