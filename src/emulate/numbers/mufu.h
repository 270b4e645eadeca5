// The functions of the multi-function unit (MUFU), bit for bit as on an H200. The unit
// interpolates: the leading bits of the argument select a table segment, and the 17 bits after
// them, t, give
//
//   constant + slope * t + curve * t²
//
// The terms are exact except for t², whose multiplication omits the columns below 2^-15. The sum is
// truncated, not rounded, to the length of the result. Negative numbers are complemented, not
// negated, on input and output, so sin(2π (½ - x)) is not exactly sin(2π x).
//
//   mufu(MufuFunction::kRcp, 0x40000000)      0x3f000000: 1 / 2
//   mufu(MufuFunction::kSin, 0x3e800000)      0x3f800000: sin(2π / 4)
//
// Denormals are flushed to zero on input and output, except for TANH, which returns arguments below
// 2^-8 unchanged.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "emulate/numbers/mufu_tables.h"

namespace burin::emulate {

enum class MufuFunction : std::uint8_t {
  kCos,  // of 2π x
  kSin,  // of 2π x
  kEx2,
  kLg2,
  kRcp,
  kRsq,
  kRcp64h,  // high word of a double; the low word is taken as zero
  kRsq64h,
  kSqrt,
  kTanh,
};
std::optional<MufuFunction> mufu_named(std::string_view text);  // "RCP64H" → kRcp64h

std::uint32_t mufu(MufuFunction function, std::uint32_t bits);

// The .F16 and .BF16 forms: 16 bits in and out. The FP32 result is truncated again, not rounded, to
// the shorter format, and may become a denormal of that format.
std::uint32_t mufu_half(MufuFunction function, std::uint32_t half);
std::uint32_t mufu_bfloat(MufuFunction function, std::uint32_t bfloat);

// mufu() in two steps with the square between them, so that the squares of a whole warp can be
// computed together:
//
//   MufuArgument argument = mufu_argument(function, bits);
//   mufu_result(function, argument, truncated_square(argument.place))
struct MufuArgument {
  const MufuSegment* segment = nullptr;  // null: `result` is the value of the function
  std::uint32_t place = 0;               // position in the segment: 17 bits
  std::uint32_t result = 0;              // value, or with a segment: sign of the value
  std::int32_t exponent = 0;             // result = interpolated * 2^exponent; LG2: + exponent
};
MufuArgument mufu_argument(MufuFunction function, std::uint32_t bits);
std::uint32_t mufu_result(MufuFunction function, const MufuArgument& argument,
                          std::uint32_t square);

// Returns 15 bits of the square of a 17-bit number: the sum, from column 19 on, of the products of
// bits i < j, each once in column i + j + 1, and of each bit with itself in column 2i.
//
// The sum therefore contains all products of the upper eight bits, except the product of the lowest
// of them with itself, and the products of the lower nine bits with the upper eight. The products
// of the lower nine bits with each other are in earlier columns.
constexpr std::uint32_t truncated_square(std::uint32_t place) {
  constexpr unsigned kUpper = 9;
  constexpr unsigned kFirst = 2;  // first of the lower bits that reaches column 19
  const std::uint32_t upper = place >> kUpper;
  std::uint32_t sum = (upper * upper - (upper & 1)) >> 1;
  for (unsigned i = kFirst; i < kUpper; ++i) {
    const std::uint32_t all_if_set = 0 - (place >> i & 1);
    sum += place >> (2 * kUpper - i) & all_if_set;
  }
  return sum;
}

}  // namespace burin::emulate
