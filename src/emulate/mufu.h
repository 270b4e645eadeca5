// The functions of the multi-function unit, MUFU, on FP32 bits. The hardware interpolates from
// tables; these compute in double precision and round to nearest, and take the hardware's own
// special values: denormals are zeros on the way in and out.
//
//   mufu(MufuFunction::kRcp, 0x40000000)      0x3f000000: 1 / 2
//   mufu(MufuFunction::kSin, 0x3e800000)      0x3f800000: sin(2π / 4)
//
// Only +, -, *, / and square roots of doubles are used, which IEEE 754 defines to the last bit:
// results are the same with every compiler and processor.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

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

}  // namespace burin
