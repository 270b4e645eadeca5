// The functions of the multi-function unit, MUFU, bit for bit as an H200 has them. It interpolates:
// the leading bits of the argument pick a segment of a table, and the 17 bits behind them, t, give
//
//   constant + slope * t + curve * t²
//
// exactly but for t², from which the columns of its multiplication that lie below 2^-15 are left
// out. The sum is cut off, not rounded, to the length of the result. Negative numbers are
// complemented, not negated, on the way in and out, so sin(2π (½ - x)) is not quite sin(2π x).
//
//   mufu(MufuFunction::kRcp, 0x40000000)      0x3f000000: 1 / 2
//   mufu(MufuFunction::kSin, 0x3e800000)      0x3f800000: sin(2π / 4)
//
// Denormals are zeros on the way in and out, but for TANH, which gives back what is below 2^-8.
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
  kRcp64h,  // on the high words of doubles whose low words are taken as zero
  kRsq64h,
  kSqrt,
  kTanh,
};
std::optional<MufuFunction> mufu_named(std::string_view text);  // "RCP64H" → kRcp64h

std::uint32_t mufu(MufuFunction function, std::uint32_t bits);

// The forms with .F16 and .BF16: 16 bits in and out. The FP32 result is cut off again, not rounded,
// to the shorter format, whose denormals it may become.
std::uint32_t mufu_half(MufuFunction function, std::uint32_t half);
std::uint32_t mufu_bfloat(MufuFunction function, std::uint32_t bfloat);

// The same in two steps with the square between them, so that a warp's squares are made together:
//
//   MufuArgument argument = mufu_argument(function, bits);
//   mufu_result(function, argument, truncated_square(argument.place))
struct MufuArgument {
  const MufuSegment* segment = nullptr;  // null: `result` is the function's value
  std::uint32_t place = 0;               // in the segment: 17 bits
  std::uint32_t result = 0;              // else: the value's sign
  std::int32_t exponent = 0;             // the interpolated value counts 2^exponent; LG2: plus it
};
MufuArgument mufu_argument(MufuFunction function, std::uint32_t bits);
std::uint32_t mufu_result(MufuFunction function, const MufuArgument& argument,
                          std::uint32_t square);

// 15 bits of the square of a 17-bit number: the products of its bits i < j, each once in column
// i + j + 1, and of each bit with itself in column 2i, from column 19 on.
//
// That leaves all products of the upper eight bits but the lowest one's with itself, and of the
// lower nine bits, whose products with each other stand in earlier columns, those with upper ones.
constexpr std::uint32_t truncated_square(std::uint32_t place) {
  constexpr unsigned kUpper = 9;
  constexpr unsigned kFirst = 2;  // of the lower bits that reaches column 19
  const std::uint32_t upper = place >> kUpper;
  std::uint32_t sum = (upper * upper - (upper & 1)) >> 1;
  for (unsigned i = kFirst; i < kUpper; ++i) {
    const std::uint32_t all_if_set = 0 - (place >> i & 1);
    sum += place >> (2 * kUpper - i) & all_if_set;
  }
  return sum;
}

}  // namespace burin::emulate
