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

#include "emulate/mufu_tables.h"

namespace burin {

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
constexpr std::uint32_t truncated_square(std::uint32_t place) {
  constexpr unsigned kBits = 17;
  constexpr unsigned kFirstColumn = 19;
  std::uint32_t sum = 0;
  for (unsigned i = 2; i < kBits; ++i) {
    const unsigned first_j = i + 1 > kFirstColumn - 1 - i ? i + 1 : kFirstColumn - 1 - i;
    const std::uint32_t others = place >> first_j;
    const std::uint32_t products = others << (first_j + i + 1 - kFirstColumn);
    const std::uint32_t own = 2 * i >= kFirstColumn ? 1u << (2 * i - kFirstColumn) : 0;
    sum += (place >> i & 1) != 0 ? products + own : 0;
  }
  return sum;
}

}  // namespace burin
