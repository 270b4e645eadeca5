#include "emulate/numbers/float_format.h"

#include <algorithm>
#include <bit>

namespace burin::emulate {
namespace {

constexpr int kTop = 125;  // sums are aligned here: a bit for the carry and one to spare

int leading_bit(Significand v) {
  const auto high = static_cast<std::uint64_t>(v >> 64);
  return high != 0 ? 127 - std::countl_zero(high)
                   : 63 - std::countl_zero(static_cast<std::uint64_t>(v));
}

// Right by `count`, what falls off kept as a set lowest bit.
Significand shift_right_sticky(Significand v, int count) {
  if (count <= 0) return v << -count;
  if (count > 127) return v != 0 ? 1 : 0;
  const Significand lost = v & ((Significand{1} << count) - 1);
  return v >> count | (lost != 0 ? 1 : 0);
}

// v / 2^count rounded to a whole number.
Significand shift_right_rounded(Significand v, int count, bool negative, Rounding rounding) {
  if (count <= 0) return v << -count;
  const Significand whole = count > 127 ? 0 : v >> count;
  const Significand lost = count > 127 ? v : v & ((Significand{1} << count) - 1);
  if (lost == 0) return whole;
  switch (rounding) {
    case Rounding::kNearest: {
      if (count > 128) return whole;
      const Significand half = Significand{1} << (count - 1);
      return lost > half || (lost == half && (whole & 1) != 0) ? whole + 1 : whole;
    }
    case Rounding::kDown:
      return negative ? whole + 1 : whole;
    case Rounding::kUp:
      return negative ? whole : whole + 1;
    case Rounding::kZero:
      return whole;
  }
  return whole;
}

}  // namespace

Rounding rounding_named(std::string_view text) {
  if (text == "RM" || text == "FLOOR") return Rounding::kDown;
  if (text == "RP" || text == "CEIL") return Rounding::kUp;
  if (text == "RZ" || text == "TRUNC") return Rounding::kZero;
  return Rounding::kNearest;
}

Exact unpack(std::uint64_t bits, const FloatFormat& format) {
  const bool negative = (bits & format.sign()) != 0;
  const std::uint64_t magnitude = bits & (format.sign() - 1);
  if (magnitude == 0) return {Exact::Kind::kZero, negative, 0, 0};
  if (magnitude == format.infinity) return {Exact::Kind::kInfinity, negative, 0, 0};
  if (magnitude > format.largest) return {Exact::Kind::kNan, false, 0, 0};
  const int fraction_bits = format.precision - 1;
  const std::uint64_t hidden = std::uint64_t{1} << fraction_bits;
  const int biased = static_cast<int>(magnitude >> fraction_bits);
  const std::uint64_t fraction = magnitude & (hidden - 1);
  return {Exact::Kind::kFinite, negative, std::max(biased, 1) - format.bias - fraction_bits,
          biased == 0 ? fraction : fraction | hidden};
}

std::uint64_t pack(const Exact& value, const FloatFormat& format, Rounding rounding) {
  const std::uint64_t sign = value.negative ? format.sign() : 0;
  const std::uint64_t infinity = format.infinity != 0 ? sign | format.infinity : format.nan;
  const bool away = rounding == Rounding::kNearest ||
                    rounding == (value.negative ? Rounding::kDown : Rounding::kUp);
  switch (value.kind) {
    case Exact::Kind::kZero:
      return sign;
    case Exact::Kind::kInfinity:
      return infinity;
    case Exact::Kind::kNan:
      return format.nan;
    case Exact::Kind::kFinite:
      break;
  }
  const int fraction_bits = format.precision - 1;
  const int lowest = 1 - format.bias - fraction_bits;  // exponent of the last bit of denormals
  const int last =
      std::max(value.exponent + leading_bit(value.significand) - fraction_bits, lowest);
  const auto rounded = static_cast<std::uint64_t>(
      shift_right_rounded(value.significand, last - value.exponent, value.negative, rounding));
  // A significand that rounding has made a bit longer carries into the exponent of itself. The
  // leading bit adds one to the exponent too, so this starts from one less.
  const std::int64_t exponent = last - lowest;
  const bool fits = exponent < std::int64_t{1} << (format.width - format.precision);
  const std::uint64_t magnitude =
      fits ? (static_cast<std::uint64_t>(exponent) << fraction_bits) + rounded : ~std::uint64_t{0};
  if (magnitude <= format.largest) return sign | magnitude;
  return away ? infinity : sign | format.largest;
}

Exact from_integer(std::uint64_t magnitude, bool negative) {
  if (magnitude == 0) return {};
  return {Exact::Kind::kFinite, negative, 0, magnitude};
}

Exact multiply(const Exact& a, const Exact& b) {
  using Kind = Exact::Kind;
  const bool negative = a.negative != b.negative;
  const auto either = [&](Kind kind) { return a.kind == kind || b.kind == kind; };
  if (either(Kind::kNan)) return {Kind::kNan, false, 0, 0};
  if (either(Kind::kInfinity)) {
    if (either(Kind::kZero)) return {Kind::kNan, false, 0, 0};
    return {Kind::kInfinity, negative, 0, 0};
  }
  if (either(Kind::kZero)) return {Kind::kZero, negative, 0, 0};
  return {Kind::kFinite, negative, a.exponent + b.exponent, a.significand * b.significand};
}

Exact add(const Exact& a, const Exact& b, Rounding rounding) {
  using Kind = Exact::Kind;
  if (a.is_nan() || b.is_nan()) return {Kind::kNan, false, 0, 0};
  if (a.kind == Kind::kInfinity) {
    if (b.kind == Kind::kInfinity && a.negative != b.negative) return {Kind::kNan, false, 0, 0};
    return a;
  }
  if (b.kind == Kind::kInfinity) return b;
  const bool zero_sign = a.negative == b.negative ? a.negative : rounding == Rounding::kDown;
  if (a.kind == Kind::kZero && b.kind == Kind::kZero) return {Kind::kZero, zero_sign, 0, 0};
  if (a.kind == Kind::kZero) return b;
  if (b.kind == Kind::kZero) return a;

  const int a_top = a.exponent + leading_bit(a.significand);
  const int b_top = b.exponent + leading_bit(b.significand);
  const int exponent = std::max(a_top, b_top) - kTop;
  const Significand x = shift_right_sticky(a.significand, exponent - a.exponent);
  const Significand y = shift_right_sticky(b.significand, exponent - b.exponent);
  if (a.negative == b.negative) return {Kind::kFinite, a.negative, exponent, x + y};
  if (x == y) return {Kind::kZero, zero_sign, 0, 0};
  return x > y ? Exact{Kind::kFinite, a.negative, exponent, x - y}
               : Exact{Kind::kFinite, b.negative, exponent, y - x};
}

Exact round_to_integer(const Exact& value, Rounding rounding) {
  if (value.kind != Exact::Kind::kFinite || value.exponent >= 0) return value;
  const Significand whole =
      shift_right_rounded(value.significand, -value.exponent, value.negative, rounding);
  if (whole == 0) return {Exact::Kind::kZero, value.negative, 0, 0};
  return {Exact::Kind::kFinite, value.negative, 0, whole};
}

std::uint64_t saturate(const Exact& whole, unsigned bits, bool is_signed, std::uint64_t nan) {
  if (whole.is_nan()) return nan;
  if (whole.kind == Exact::Kind::kZero) return 0;
  const std::uint64_t highest = ~std::uint64_t{0} >> (64 - bits + (is_signed ? 1 : 0));
  const std::uint64_t lowest = is_signed ? ~highest : 0;  // in all 64 bits
  const bool huge =
      whole.kind == Exact::Kind::kInfinity || whole.exponent + leading_bit(whole.significand) >= 64;
  if (huge) return whole.negative ? lowest : highest;
  const auto magnitude = static_cast<std::uint64_t>(whole.significand << whole.exponent);
  if (!whole.negative) return std::min(magnitude, highest);
  if (!is_signed) return 0;
  return magnitude > highest ? lowest : 0 - magnitude;
}

std::uint64_t double_nan(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  constexpr std::uint64_t kQuiet = std::uint64_t{1} << (kFormatF64.precision - 2);
  for (const std::uint64_t bits : {b, c, a})
    if ((bits & ~kFormatF64.sign()) > kFormatF64.infinity) return bits | kQuiet;
  return kFormatF64.nan;
}

}  // namespace burin::emulate
