// Conversions between the 16-bit floats (FP16, BF16) and FP32, in integer arithmetic that
// vectorises over lanes.
//
//   half_to_float(0x3c00)                       0x3f800000
//   float_to_half(0x3f800000)                   0x3c00, to nearest
#pragma once

#include <cstdint>
#include <optional>

#include "emulate/numbers/float_lanes.h"
#include "emulate/state/warp.h"

namespace burin::emulate {

inline constexpr std::uint32_t kHalfNan = 0x7fff;  // the NaN of both formats

// Converts the FP16 in the low half of `bits` to FP32 bits. Exact; NaN stays NaN.
BURIN_INLINE inline std::uint32_t half_to_float(std::uint32_t bits) {
  const std::uint32_t sign = (bits & 0x8000) << 16;
  const std::uint32_t magnitude = bits & 0x7fff;
  const std::uint32_t normal = (magnitude << 13) + (std::uint32_t{127 - 15} << 23);
  // A denormal is its significand in units of 2^-24; converting it as an integer avoids slow float
  // denormals on the host.
  const std::uint32_t denormal =
      as_bits(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24F);
  const std::uint32_t finite = magnitude < 0x0400 ? denormal : normal;
  return sign | (magnitude >= 0x7c00 ? magnitude << 13 | kFloatExponent : finite);
}

// Converts FP32 bits to FP16, rounding to nearest even. All NaNs become the same NaN.
BURIN_INLINE inline std::uint32_t float_to_half(std::uint32_t bits) {
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const std::uint32_t magnitude = bits & ~kFloatSign;
  // Normal: rounds off the low thirteen bits, which may carry into the exponent.
  const std::uint32_t normal =
      (magnitude + 0xfff + (magnitude >> 13 & 1) - (std::uint32_t{127 - 15} << 23)) >> 13;
  // Denormal: adding 0.5 aligns the last bit of an FP16 denormal (2^-24) with the last bit of the
  // sum.
  const std::uint32_t denormal = as_bits(as_float(magnitude) + 0.5F) - 0x3f000000;
  const std::uint32_t finite = magnitude < 0x38800000 ? denormal : normal;
  const std::uint32_t limited = magnitude >= 0x477ff000 ? 0x7c00 : finite;  // 65520 and above
  return magnitude > kFloatExponent ? kHalfNan : sign | limited;
}

BURIN_INLINE inline std::uint32_t bfloat_to_float(std::uint32_t bits) {
  return bits << 16;
}

BURIN_INLINE inline std::uint32_t float_to_bfloat(std::uint32_t bits) {
  const std::uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
  return (bits & ~kFloatSign) > kFloatExponent ? kHalfNan : rounded;
}

// Rounds an inexact float to odd: if its last bit is even, it moves to the neighbour on the side of
// the exact value. Double rounding is correct if the first rounding is to odd. `above` and `below`
// (0 or 1) say on which side of `bits` the exact value is.
BURIN_INLINE inline std::uint32_t to_odd(std::uint32_t bits, std::uint32_t above,
                                         std::uint32_t below) {
  const std::uint32_t even = ~bits & 1;
  const std::uint32_t outwards = above - below;  // change of magnitude for a positive value
  const std::uint32_t step = (bits & kFloatSign) != 0 ? 0 - outwards : outwards;
  return bits + (even != 0 ? step : 0);
}

// Returns a * b + c of FP16 values held in floats, as a float rounded to odd. The product is exact
// in a float, and so is the remainder of the sum.
BURIN_INLINE inline std::uint32_t half_fma(float a, float b, float c) {
  const float product = a * b;
  const float sum = product + c;
  const float c_part = sum - product;
  const float rest = (product - (sum - c_part)) + (c - c_part);
  return to_odd(as_bits(sum), rest > 0 ? 1 : 0, rest < 0 ? 1 : 0);
}

// Returns a * b + c of BF16 values held in floats, as a float rounded to odd. The exponents of BF16
// products need a double, so this takes the nearest float to the nearest double and determines on
// which side of it the exact value is.
BURIN_INLINE inline std::uint32_t bfloat_fma(float a, float b, float c) {
  const DoublePair sum =
      exact_sum(static_cast<double>(a) * static_cast<double>(b), static_cast<double>(c));
  const auto value = static_cast<float>(sum.sum);
  const double rest = sum.sum - static_cast<double>(value);
  // The remainder of the double sum matters only if the float equals the double.
  const double side = rest != 0 ? rest : sum.rest;
  return to_odd(as_bits(value), side > 0 ? 1 : 0, side < 0 ? 1 : 0);
}

// Traits of the two formats, for functions that serve both. `narrow` rounds the bits of a float to
// nearest even.
struct Half {
  static constexpr std::uint32_t kExponent = 0x7c00;
  static constexpr std::uint32_t kOne = 0x3c00;
  BURIN_INLINE static float widen(std::uint32_t bits) { return as_float(half_to_float(bits)); }
  BURIN_INLINE static std::uint32_t narrow(std::uint32_t bits) { return float_to_half(bits); }
  BURIN_INLINE static std::uint32_t fma(float a, float b, float c) { return half_fma(a, b, c); }
};

struct Bfloat {
  static constexpr std::uint32_t kExponent = 0x7f80;
  static constexpr std::uint32_t kOne = 0x3f80;
  BURIN_INLINE static float widen(std::uint32_t bits) { return as_float(bfloat_to_float(bits)); }
  BURIN_INLINE static std::uint32_t narrow(std::uint32_t bits) { return float_to_bfloat(bits); }
  BURIN_INLINE static std::uint32_t fma(float a, float b, float c) { return bfloat_fma(a, b, c); }
};

// Returns the minimum or maximum of two 16-bit floats; `infinity` is the infinity of their format.
// -0 is below +0. If one operand is NaN, the result is the other operand, or NaN if `keeps_nan`.
BURIN_INLINE inline std::uint32_t half_extreme(std::uint32_t a, std::uint32_t b, bool minimum,
                                               bool keeps_nan, std::uint32_t infinity) {
  const auto order_of = [](std::uint32_t bits) BURIN_INLINE {
    const auto v = static_cast<std::int32_t>(bits << 16);
    return v ^ static_cast<std::int32_t>(static_cast<std::uint32_t>(v >> 31) >> 1);
  };
  const bool a_nan = (a & 0x7fff) > infinity;
  const bool b_nan = (b & 0x7fff) > infinity;
  const bool a_first = order_of(a) < order_of(b);
  const std::uint32_t chosen = a_first == minimum ? a : b;
  const std::uint32_t number = a_nan ? b : b_nan ? a : chosen;
  const bool nan = keeps_nan ? a_nan || b_nan : a_nan && b_nan;
  return nan ? kHalfNan : number;
}

// Selection and sign changes of a source's two halves: bits of Op::mode.
enum HalfSource : std::uint8_t {
  kBothHalves = 0,
  kLowTwice = 1,
  kHighTwice = 2,
  kChoice = 3,  // mask of the selection bits
  kHalvesNegated = 4,
  kHalvesAbsolute = 8,
  kSwappedNegated = 16,  // H0_NH1: the high half is H0, the low half is -H1
};
// Returns nothing for a swizzle that is not known.
std::optional<std::uint8_t> half_source(const read::Operand& operand);

// Reads the source's halves with the selection and sign changes of `how`.
BURIN_INLINE inline void read_halves(const Warp& warp, const Source& source, std::uint8_t how,
                                     Lanes& out) {
  const Lanes& in = warp.plain(source);
  const std::uint8_t choice = how & kChoice;
  const std::uint32_t kept = (how & kHalvesAbsolute) != 0 ? 0x7fff7fff : 0xffffffff;
  const bool swapped = (how & kSwappedNegated) != 0;
  const std::uint32_t flipped =
      ((how & kHalvesNegated) != 0 ? 0x80008000 : 0) ^ (swapped ? 0x8000 : 0);
  for (unsigned i = 0; i < kWarpLanes; ++i) {
    const std::uint32_t v = swapped ? std::rotl(in.lane[i], 16) : in.lane[i];
    const std::uint32_t low_twice = (v & 0xffff) | v << 16;
    const std::uint32_t high_twice = v >> 16 | (v & 0xffff0000);
    const std::uint32_t chosen = choice == kLowTwice    ? low_twice
                                 : choice == kHighTwice ? high_twice
                                                        : v;
    out.lane[i] = (chosen & kept) ^ flipped;
  }
}

bool lower_hset2(Lowering& l, const read::Instruction& i, Op& op);
bool lower_hsetp2(Lowering& l, const read::Instruction& i, Op& op);
bool lower_hmnmx2(Lowering& l, const read::Instruction& i, Op& op);

}  // namespace burin::emulate
