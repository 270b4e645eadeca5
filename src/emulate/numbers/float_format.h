// Exact floating-point arithmetic with a single rounding, for every format of the GPU. It is slow
// but easy to verify. It is used for directed rounding of doubles and for conversions between
// formats; the common instructions have faster implementations, whose tests compare with this one.
//
//   const Exact one = unpack(0x3c00, kFormatF16);
//   pack(add(one, one, Rounding::kNearest), kFormatF32, Rounding::kNearest)    // 0x40000000
#pragma once

#include <cstdint>
#include <string_view>

namespace burin::emulate {

// In the order of the instruction encoding.
enum class Rounding : std::uint8_t { kNearest, kDown, kUp, kZero };
// Parses a rounding: "RM" → kDown, "RP" → kUp, "RZ" → kZero, and FLOOR, CEIL and TRUNC likewise;
// anything else is kNearest.
Rounding rounding_named(std::string_view text);

struct FloatFormat {
  std::uint8_t precision;  // bits of the significand, including the leading one
  std::uint8_t width;      // total bits
  std::int16_t bias;
  std::uint64_t largest;   // largest finite positive value
  std::uint64_t infinity;  // 0 if the format has none
  std::uint64_t nan;       // NaN that instructions produce

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

// The value significand * 2^exponent. If a sum is too wide for the significand, the lowest bit is
// set as a sticky bit in place of the bits cut off, which does not change the rounding to any
// format above.
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
// `rounding` determines the sign of x - x.
Exact add(const Exact& a, const Exact& b, Rounding rounding);

Exact round_to_integer(const Exact& value, Rounding rounding);
// Clamps an integer to `bits` bits (8 … 64). Returns `nan` if the value is NaN.
std::uint64_t saturate(const Exact& whole, unsigned bits, bool is_signed, std::uint64_t nan);

// Returns the NaN result of an operation on doubles: the first NaN among b, c, a in this order,
// made quiet, or the format's own NaN if no operand is NaN. CPUs choose differently.
std::uint64_t double_nan(std::uint64_t a, std::uint64_t b, std::uint64_t c);

// Flushes denormals of the format to zeros of the same sign.
constexpr std::uint64_t flush(std::uint64_t bits, const FloatFormat& format) {
  const std::uint64_t magnitude = bits & ~format.sign();
  return magnitude >> (format.precision - 1) == 0 ? bits & format.sign() : bits;
}

}  // namespace burin::emulate
