// Floating-point values taken apart, computed exactly and rounded once, for every format the GPU
// has: the slow way that is easy to trust. It serves directed roundings of doubles and conversions
// between formats; the common instructions have faster ways, and their tests compare with this one.
//
//   const Exact one = unpack(0x3c00, kFormatF16);
//   pack(add(one, one, Rounding::kNearest), kFormatF32, Rounding::kNearest)    // 0x40000000
#pragma once

#include <cstdint>
#include <string_view>

namespace burin::emulate {

// In the order of the bits that encode it.
enum class Rounding : std::uint8_t { kNearest, kDown, kUp, kZero };
// "RM" → kDown, "RP" → kUp, "RZ" → kZero, the same for FLOOR, CEIL and TRUNC; else kNearest.
Rounding rounding_named(std::string_view text);

struct FloatFormat {
  std::uint8_t precision;  // bits of the significand, the leading one among them
  std::uint8_t width;      // of the whole
  std::int16_t bias;
  std::uint64_t largest;   // finite, positive
  std::uint64_t infinity;  // 0 where the format has none
  std::uint64_t nan;       // the one that instructions make

  constexpr std::uint64_t sign() const { return std::uint64_t{1} << (width - 1); }
};

inline constexpr FloatFormat kFormatE4m3{4, 8, 7, 0x7e, 0, 0x7f};
inline constexpr FloatFormat kFormatE5m2{3, 8, 15, 0x7b, 0x7c, 0x7f};
inline constexpr FloatFormat kFormatF16{11, 16, 15, 0x7bff, 0x7c00, 0x7fff};
inline constexpr FloatFormat kFormatBf16{8, 16, 127, 0x7f7f, 0x7f80, 0x7fff};
inline constexpr FloatFormat kFormatTf32{11, 19, 127, 0x3fbff, 0x3fc00, 0x3ffff};
inline constexpr FloatFormat kFormatF32{24, 32, 127, 0x7f7fffff, 0x7f800000, 0x7fffffff};
inline constexpr FloatFormat kFormatF64{
    53, 64, 1023, 0x7fefffffffffffff, 0x7ff0000000000000, 0xfff8000000000000};

__extension__ using Significand = unsigned __int128;

// significand * 2^exponent. A sum too wide for the significand has its lowest bit set in place of
// what was cut off, which no rounding to a format above can tell from the truth.
struct Exact {
  enum class Kind : std::uint8_t { kZero, kFinite, kInfinity, kNan };
  Kind kind = Kind::kZero;
  bool negative = false;
  int exponent = 0;
  Significand significand = 0;

  bool is_nan() const { return kind == Kind::kNan; }
};

Exact unpack(std::uint64_t bits, const FloatFormat& format);
std::uint64_t pack(const Exact& value, const FloatFormat& format, Rounding rounding);
Exact from_integer(std::uint64_t magnitude, bool negative);

Exact multiply(const Exact& a, const Exact& b);
// The rounding decides the sign of x - x.
Exact add(const Exact& a, const Exact& b, Rounding rounding);

Exact round_to_integer(const Exact& value, Rounding rounding);
// A whole number clamped to `bits` bits (8 … 64); `nan` for not-a-number.
std::uint64_t saturate(const Exact& whole, unsigned bits, bool is_signed, std::uint64_t nan);

// What an operation on doubles gives whose result is not a number: of the operands that are none,
// b before c before a, made quiet; the format's own if all are numbers. CPUs choose otherwise.
std::uint64_t double_nan(std::uint64_t a, std::uint64_t b, std::uint64_t c);

// Denormals of the format as zeros of their sign.
constexpr std::uint64_t flush(std::uint64_t bits, const FloatFormat& format) {
  const std::uint64_t magnitude = bits & ~format.sign();
  return magnitude >> (format.precision - 1) == 0 ? bits & format.sign() : bits;
}

}  // namespace burin::emulate
