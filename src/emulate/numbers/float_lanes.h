// FP32 operations on bit patterns, written so that loops over lanes vectorise. Terms for GPU
// behaviour: FTZ *flushes* denormals, .SAT *clamps*, and every NaN result has the same bits.
#pragma once

#include <bit>
#include <cstdint>

#include "emulate/numbers/float_format.h"
#include "emulate/numbers/float_mode.h"
#include "emulate/state/lower.h"
#include "emulate/values/lanes.h"

namespace burin::emulate {

inline constexpr std::uint32_t kFloatSign = 0x80000000;
inline constexpr std::uint32_t kFloatExponent = 0x7f800000;
inline constexpr std::uint32_t kFloatNan = 0x7fffffff;
inline constexpr std::uint32_t kFloatOne = 0x3f800000;

BURIN_INLINE inline float as_float(std::uint32_t bits) {
  return std::bit_cast<float>(bits);
}
BURIN_INLINE inline std::uint32_t as_bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}
BURIN_INLINE inline std::uint32_t is_nan(std::uint32_t bits) {
  return (bits & ~kFloatSign) > kFloatExponent ? 1 : 0;
}

// Flushes denormals. `kept` is the mask of bits of a denormal that survive: kFloatSign with .FTZ,
// all bits without.
BURIN_INLINE inline std::uint32_t flush(std::uint32_t bits, std::uint32_t kept) {
  return (bits & kFloatExponent) == 0 ? bits & kept : bits;
}
BURIN_INLINE inline std::uint32_t kept_bits(const Op& op) {
  return op.mode[kFlushes] != 0 ? kFloatSign : 0xffffffff;
}
BURIN_INLINE inline std::uint32_t one_nan(std::uint32_t bits) {
  return is_nan(bits) ? kFloatNan : bits;
}
// Clamps to [0, 1]; NaN and -0 become +0.
BURIN_INLINE inline std::uint32_t clamp(std::uint32_t bits) {
  const float value = as_float(bits);
  const std::uint32_t positive = value > 0.0F ? bits : 0;
  return as_float(positive) > 1.0F ? kFloatOne : positive;
}

// The sum of two doubles as the nearest double and the exact remainder. Not meant for infinities:
// their remainder is NaN, which compares as neither above nor below.
struct DoublePair {
  double sum;
  double rest;
};
BURIN_INLINE inline DoublePair exact_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

// The steps of a directed rounding from an inexact nearest value, in units in the last place of its
// magnitude: away from zero (out) if the exact value is farther from zero, towards zero (in) if the
// exact value is closer to zero.
struct Direction {
  std::uint32_t positive_out, positive_in;  // 0 or 1, for positive values
  std::uint32_t negative_out, negative_in;  // 0 or 1, for negative values
};
constexpr Direction direction_of(Rounding rounding) {
  switch (rounding) {
    case Rounding::kNearest:
      break;
    case Rounding::kDown:
      return {0, 1, 1, 0};
    case Rounding::kUp:
      return {1, 0, 0, 1};
    case Rounding::kZero:
      return {0, 1, 0, 1};
  }
  return {0, 0, 0, 0};
}

// Rounds value.sum + value.rest to a float. A zero sum keeps its sign.
BURIN_INLINE inline std::uint32_t round_directed(DoublePair value, const Direction& direction) {
  const auto nearest = static_cast<float>(value.sum);
  const std::uint32_t bits = as_bits(nearest);
  const double off = value.sum - static_cast<double>(nearest);
  const double side = off != 0 ? off : value.rest;  // of the exact value, from `nearest`
  const std::uint32_t above = side > 0 ? 1 : 0;
  const std::uint32_t below = side < 0 ? 1 : 0;
  const std::uint32_t positive = (above & direction.positive_out) - (below & direction.positive_in);
  const std::uint32_t negative = (below & direction.negative_out) - (above & direction.negative_in);
  return bits + ((bits & kFloatSign) != 0 ? negative : positive);
}
BURIN_INLINE inline std::uint32_t round_directed(DoublePair value, Rounding rounding) {
  return round_directed(value, direction_of(rounding));
}

// Returns false if an operand is a constant with an index register (c[…] indexed by a register),
// which cannot be read at lowering time.
inline bool sources_are_plain(const read::Instruction& i) {
  for (const read::Operand& o : i.operands()) {
    if (o.kind == read::Operand::Kind::kConstant &&
        (o.descriptor != read::Operand::kNoRegister || o.base != read::Operand::kNoRegister ||
         o.uniform != read::Operand::kNoRegister)) {
      return false;
    }
  }
  return true;
}

// Lowering functions of the float instructions that are not in execute/float.cc.
bool lower_fmnmx(Lowering& l, const read::Instruction& i, Op& op);
bool lower_fsel(Lowering& l, const read::Instruction& i, Op& op);
bool lower_fset(Lowering& l, const read::Instruction& i, Op& op);
bool lower_fsetp(Lowering& l, const read::Instruction& i, Op& op);
bool lower_fchk(Lowering& l, const read::Instruction& i, Op& op);
bool lower_fswzadd(Lowering& l, const read::Instruction& i, Op& op);
bool lower_mufu(Lowering& l, const read::Instruction& i, Op& op);

}  // namespace burin::emulate
