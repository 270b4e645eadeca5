#include "emulate/numbers/mufu.h"

#include <array>
#include <bit>

#include "emulate/numbers/float_lanes.h"
#include "emulate/numbers/half.h"

namespace burin::emulate {
namespace {

constexpr std::uint32_t kInfinity = kFloatExponent;
constexpr unsigned kPlaceBits = 17;
constexpr std::uint32_t kPlaceMask = (1u << kPlaceBits) - 1;
constexpr int kUnit = 41;  // interpolated values are counted in units of 2^-41

// The parts of a normal float: significand / 2^23 * 2^exponent.
struct FloatParts {
  explicit FloatParts(std::uint32_t bits)
      : exponent(static_cast<int>(bits >> 23 & 0xff) - 127),
        fraction(bits & 0x7fffff),
        significand(fraction | 0x800000) {}
  int exponent;
  std::uint32_t fraction;
  std::uint32_t significand;
};

// A segment and the place in it by a fraction of 23 bits, the first `index_bits` of them the index.
MufuArgument at(const MufuSegment* segments, std::uint32_t fraction, unsigned index_bits,
                std::uint32_t sign, int exponent) {
  const unsigned rest = 23 - index_bits;
  return {segments + (fraction >> rest), (fraction << (kPlaceBits - rest)) & kPlaceMask, sign,
          exponent};
}
MufuArgument value(std::uint32_t bits) {
  return {.result = bits};
}

// value * 2^-unit cut off to a float; denormals are zero.
std::uint32_t cut_to_float(std::uint64_t magnitude, int unit) {
  if (magnitude == 0) return 0;
  const int top = 63 - std::countl_zero(magnitude);
  const std::uint64_t significand = top >= 23 ? magnitude >> (top - 23) : magnitude << (23 - top);
  const int exponent = top - unit + 127;
  if (exponent < 1) return 0;
  if (exponent > 254) return kInfinity;
  return (static_cast<std::uint32_t>(exponent) << 23 | 0x7fffff) &
         (static_cast<std::uint32_t>(significand) | ~std::uint32_t{0x7fffff});
}

// Arguments, one function each. `x` is neither denormal nor not-a-number, but for TANH and 64H.

MufuArgument rcp(std::uint32_t x) {
  const std::uint32_t sign = x & kFloatSign;
  if ((x & ~kFloatSign) == 0) return value(sign | kInfinity);
  if ((x & ~kFloatSign) == kInfinity) return value(sign);
  const FloatParts parts(x);
  return at(kRcpSegments.data(), parts.fraction, 7, sign, -parts.exponent);
}

// The tables of the roots hold [1, 2), then [2, 4).
MufuArgument root(const MufuSegment* segments, const FloatParts& parts, int direction) {
  const int odd = parts.exponent & 1;
  return at(segments + 64 * odd, parts.fraction, 6, 0, direction * (parts.exponent - odd) / 2);
}

MufuArgument rsq(std::uint32_t x) {
  if ((x & ~kFloatSign) == 0) return value(x | kInfinity);
  if ((x & kFloatSign) != 0) return value(kFloatNan);
  if (x == kInfinity) return value(0);
  const FloatParts parts(x);
  // Powers of 4 are exact.
  if (parts.fraction == 0 && (parts.exponent & 1) == 0) {
    return value(static_cast<std::uint32_t>(127 - parts.exponent / 2) << 23);
  }
  return root(kRsqSegments.data(), parts, -1);
}

MufuArgument sqrt(std::uint32_t x) {
  if ((x & ~kFloatSign) == 0) return value(x);
  if ((x & kFloatSign) != 0) return value(kFloatNan);
  if (x == kInfinity) return value(x);
  return root(kSqrtSegments.data(), FloatParts(x), 1);
}

MufuArgument lg2(std::uint32_t x) {
  if ((x & ~kFloatSign) == 0) return value(kFloatSign | kInfinity);
  if ((x & kFloatSign) != 0) return value(kFloatNan);
  if (x == kInfinity) return value(x);
  if (x == kFloatOne) return value(0);
  const FloatParts parts(x);
  return at(kLg2Segments.data(), parts.fraction, 6, 0, parts.exponent);
}

// |x| in units of 2^-23, cut off; its low 64 bits.
std::uint64_t fixed_point(const FloatParts& parts, int scale) {
  const int shift = parts.exponent + scale;
  if (shift >= 40) return 0;  // only the bits below 2^40 are ever looked at
  return shift >= 0 ? std::uint64_t{parts.significand} << shift
                    : (shift > -32 ? parts.significand >> -shift : 0);
}

MufuArgument ex2(std::uint32_t x) {
  const bool negative = (x & kFloatSign) != 0;
  const FloatParts parts(x);
  if (parts.exponent >= 7 && !negative) return value(kInfinity);
  if (parts.exponent >= 8) return value(0);
  const auto magnitude =
      (x & ~kFloatSign) == 0 ? 0 : static_cast<std::int64_t>(fixed_point(parts, 0));
  const bool whole = (magnitude & 0x7fffff) == 0;
  const std::int64_t fixed = !negative ? magnitude : whole ? -magnitude : ~magnitude;
  return at(kEx2Segments.data(), static_cast<std::uint32_t>(fixed & 0x7fffff), 6, 0,
            static_cast<int>(fixed >> 23) + 1);  // the table has half of it
}

// sin(2π (|x| + quarters / 4)) with the sign.
MufuArgument turn(std::uint32_t x, std::uint32_t quarters, std::uint32_t sign) {
  if ((x & ~kFloatSign) == kInfinity) return value(kFloatNan);
  const std::uint64_t fixed = (x & ~kFloatSign) == 0 ? 0 : fixed_point(FloatParts(x), 2);
  const std::uint32_t quarter = static_cast<std::uint32_t>(fixed >> 23) + quarters;
  const auto fraction = static_cast<std::uint32_t>(fixed & 0x7fffff);
  const std::uint32_t mirrored = (quarter & 1) != 0 ? ~fraction & 0x7fffff : fraction;
  return at(kSinSegments.data(), mirrored, 6, sign ^ ((quarter & 2) != 0 ? kFloatSign : 0), 0);
}
MufuArgument sin(std::uint32_t x) {
  return turn(x, 0, x & kFloatSign);
}
MufuArgument cos(std::uint32_t x) {
  return turn(x, 1, 0);
}

// The widths of TANH's segments depend on its curvature: for each exponent, from -8 on, the number
// of fraction bits that are kept, and the first segment.
struct Octave {
  std::uint8_t kept;
  std::uint8_t first;
};
constexpr int kFirstOctave = -8;
constexpr std::array<Octave, 11> kOctaves = {{{25, 0},
                                              {24, 1},
                                              {23, 2},
                                              {23, 3},
                                              {22, 5},
                                              {22, 7},
                                              {21, 11},
                                              {20, 15},
                                              {20, 19},
                                              {20, 27},
                                              {18, 43}}};

MufuArgument tanh(std::uint32_t x) {
  const FloatParts parts(x);
  const std::uint32_t sign = x & kFloatSign;
  if (parts.exponent < kFirstOctave) return value(x);
  const auto index = static_cast<std::size_t>(parts.exponent - kFirstOctave);
  if (index >= kOctaves.size()) return value(sign | kFloatOne);
  const Octave& octave = kOctaves[index];
  const auto fixed = static_cast<std::uint32_t>(fixed_point(parts, octave.kept - 23));
  const std::uint32_t first = 1u << (parts.exponent + octave.kept - static_cast<int>(kPlaceBits));
  return {&kTanhSegments[octave.first + (fixed >> kPlaceBits) - first], fixed & kPlaceMask, sign,
          0};
}

// The high word of a double as a float's parts, with its own exponent.
constexpr std::uint32_t kHighExponent = 0x7ff00000;
constexpr std::uint32_t kHighSmallest = 0x00100000;
struct HighParts {
  explicit HighParts(std::uint32_t high)
      : exponent(static_cast<int>(high >> 20 & 0x7ff) - 1023), fraction((high & 0xfffff) << 3) {}
  int exponent;
  std::uint32_t fraction;
};

MufuArgument rcp64h(std::uint32_t high) {
  const std::uint32_t magnitude = high & ~kFloatSign;
  const std::uint32_t sign = high & kFloatSign;
  if (magnitude > kHighExponent) return value(kFloatNan);
  if (magnitude == kHighExponent) return value(sign);
  if (magnitude < kHighSmallest) return value(sign | kHighExponent);
  const HighParts parts(high);
  return at(kRcpSegments.data(), parts.fraction, 7, sign, -parts.exponent);
}

MufuArgument rsq64h(std::uint32_t high) {
  const std::uint32_t magnitude = high & ~kFloatSign;
  if (magnitude > kHighExponent) return value(kFloatNan);
  if (magnitude < kHighSmallest) return value((high & kFloatSign) | kHighExponent);
  if ((high & kFloatSign) != 0) return value(kFloatNan);
  if (magnitude == kHighExponent) return value(0);
  const HighParts parts(high);
  const int odd = parts.exponent & 1;
  const int half = (parts.exponent - odd) / 2;
  if (parts.fraction == 0 && odd == 0) return value(static_cast<std::uint32_t>(1023 - half) << 20);
  return at(kRsqSegments.data() + 64 * odd, parts.fraction, 6, 0, -half);
}

// Results, from the interpolated value.

std::uint32_t scaled(std::int64_t interpolated, const MufuArgument& argument) {
  return argument.result |
         cut_to_float(static_cast<std::uint64_t>(interpolated), kUnit - argument.exponent);
}

// The exponent is added before the sum is cut off, to 2^-36 at the finest.
std::uint32_t logarithm(std::int64_t interpolated, const MufuArgument& argument) {
  constexpr int kFinest = 36;
  const std::int64_t sum =
      ((std::int64_t{argument.exponent} << kUnit) + interpolated) >> (kUnit - kFinest - 2);
  const std::int64_t magnitude = sum < 0 ? ~sum : sum;
  return (sum < 0 ? kFloatSign : 0) |
         cut_to_float(static_cast<std::uint64_t>(magnitude >> 2), kFinest);
}

// The high word of a double: 20 bits after the leading one of a value in (½, 1].
std::uint32_t high_word(std::int64_t interpolated, const MufuArgument& argument) {
  const auto significand = static_cast<std::uint32_t>(interpolated >> (kUnit - 21));
  const int exponent = 1022 + argument.exponent;  // of the leading bit, which adds one
  const auto word = (exponent - 1) * static_cast<std::int64_t>(kHighSmallest) + significand;
  return word < kHighSmallest ? argument.result
                              : argument.result | static_cast<std::uint32_t>(word);
}

// FP32 cut off to FP16.
std::uint32_t cut_to_half(std::uint32_t bits) {
  constexpr int kHalfBias = 15;
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const std::uint32_t magnitude = bits & ~kFloatSign;
  const FloatParts parts(magnitude);
  if (magnitude > kInfinity) return kHalfNan;
  if (parts.exponent > kHalfBias) return sign | 0x7c00;
  if (parts.exponent > -kHalfBias) {
    return sign | static_cast<std::uint32_t>(parts.exponent + kHalfBias) << 10 |
           parts.fraction >> 13;
  }
  const int shift = 13 + 1 - kHalfBias - parts.exponent;  // into units of 2^-24
  return sign | (shift < 24 ? parts.significand >> shift : 0);
}

struct MufuRow {
  std::string_view name;
  MufuArgument (*argument)(std::uint32_t);
  std::uint32_t (*result)(std::int64_t, const MufuArgument&);
  std::int32_t bias;  // added before the sum is cut off, in its units
  bool keeps_denormals = false;
  bool on_doubles = false;
};
// In the order of MufuFunction.
constexpr std::array<MufuRow, 10> kMufuRows = {{
    {"COS", cos, scaled, 0},
    {"SIN", sin, scaled, 0},
    {"EX2", ex2, scaled, 24456},
    {"LG2", lg2, logarithm, 6696},
    {"RCP", rcp, scaled, 8092},
    {"RSQ", rsq, scaled, -1},
    {"RCP64H", rcp64h, high_word, 8092, true, true},
    {"RSQ64H", rsq64h, high_word, -1, true, true},
    {"SQRT", sqrt, scaled, -1},
    {"TANH", tanh, scaled, 0, true},
}};

}  // namespace

std::optional<MufuFunction> mufu_named(std::string_view text) {
  for (std::size_t k = 0; k < kMufuRows.size(); ++k)
    if (kMufuRows[k].name == text) return static_cast<MufuFunction>(k);
  return std::nullopt;
}

MufuArgument mufu_argument(MufuFunction function, std::uint32_t bits) {
  const MufuRow& row = kMufuRows[static_cast<std::size_t>(function)];
  if (!row.on_doubles && is_nan(bits) != 0) return value(kFloatNan);
  return row.argument(row.keeps_denormals ? bits : flush(bits, kFloatSign));
}

std::uint32_t mufu_result(MufuFunction function, const MufuArgument& argument,
                          std::uint32_t square) {
  if (argument.segment == nullptr) return argument.result;
  const MufuRow& row = kMufuRows[static_cast<std::size_t>(function)];
  const MufuSegment& s = *argument.segment;
  const std::int64_t interpolated = (std::int64_t{s.constant} << (kUnit - 26)) +
                                    std::int64_t{s.slope} * argument.place +
                                    std::int64_t{s.curve} * square * 4 + row.bias;
  return row.result(interpolated, argument);
}

std::uint32_t mufu(MufuFunction function, std::uint32_t bits) {
  const MufuArgument argument = mufu_argument(function, bits);
  return mufu_result(function, argument, truncated_square(argument.place));
}

std::uint32_t mufu_half(MufuFunction function, std::uint32_t half) {
  return cut_to_half(mufu(function, half_to_float(half)));
}

std::uint32_t mufu_bfloat(MufuFunction function, std::uint32_t bfloat) {
  return mufu(function, bfloat_to_float(bfloat)) >> 16;  // of the one not-a-number, too
}

}  // namespace burin::emulate
