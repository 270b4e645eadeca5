#include "emulate/numbers/float_format.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "float_values.h"

namespace burin::emulate {
namespace {

double as_double(std::uint64_t bits) {
  return std::bit_cast<double>(bits);
}
std::uint64_t canonical(double value) {
  return value != value ? kFormatF64.nan : std::bit_cast<std::uint64_t>(value);
}

TEST(FloatFormat, EveryHalfComesBack) {
  for (const FloatFormat& format :
       {kFormatF16, kFormatBf16, kFormatE4m3, kFormatE5m2, kFormatTf32}) {
    for (std::uint64_t bits = 0; bits < format.sign() * 2; ++bits) {
      const Exact exact = unpack(bits, format);
      const std::uint64_t back = pack(exact, format, Rounding::kZero);
      ASSERT_EQ(back, exact.is_nan() ? format.nan : bits) << int{format.precision};
    }
  }
}

TEST(FloatFormat, RoundingDirections) {
  // 1 + 2^-24 lies half way between two floats, 1 + 2^-24 + 2^-52 just above.
  const auto round = [](double value, Rounding rounding) {
    return pack(unpack(std::bit_cast<std::uint64_t>(value), kFormatF64), kFormatF32, rounding);
  };
  const double tie = 1 + 0x1p-24;
  EXPECT_EQ(round(tie, Rounding::kNearest), 0x3f800000u);
  EXPECT_EQ(round(tie + 0x1p-52, Rounding::kNearest), 0x3f800001u);
  EXPECT_EQ(round(tie, Rounding::kUp), 0x3f800001u);
  EXPECT_EQ(round(tie, Rounding::kDown), 0x3f800000u);
  EXPECT_EQ(round(-tie, Rounding::kDown), 0xbf800001u);
  EXPECT_EQ(round(-tie, Rounding::kUp), 0xbf800000u);
  EXPECT_EQ(round(-tie, Rounding::kZero), 0xbf800000u);
  EXPECT_EQ(round(0x1p200, Rounding::kZero), 0x7f7fffffu);
  EXPECT_EQ(round(0x1p200, Rounding::kNearest), 0x7f800000u);
  EXPECT_EQ(round(0x1p-200, Rounding::kUp), 1u);
  EXPECT_EQ(round(-0x1p-200, Rounding::kUp), 0x80000000u);
  EXPECT_EQ(round(0x1p-150, Rounding::kNearest), 0u);  // half of the smallest: to even
}

TEST(FloatFormat, ArithmeticToNearestIsTheProcessors) {
  FloatValues values(0x9e3779b97f4a7c15);
  for (int k = 0; k < 200000; ++k) {
    const std::uint64_t a = values.next(kFormatF64);
    const std::uint64_t b = values.next(kFormatF64);
    const std::uint64_t c = values.next(kFormatF64);
    const Exact x = unpack(a, kFormatF64);
    const Exact y = unpack(b, kFormatF64);
    const Exact z = unpack(c, kFormatF64);
    const auto nearest = [](const Exact& e) { return pack(e, kFormatF64, Rounding::kNearest); };
    ASSERT_EQ(nearest(add(x, y, Rounding::kNearest)), canonical(as_double(a) + as_double(b)));
    ASSERT_EQ(nearest(multiply(x, y)), canonical(as_double(a) * as_double(b)));
    ASSERT_EQ(nearest(add(multiply(x, y), z, Rounding::kNearest)),
              canonical(std::fma(as_double(a), as_double(b), as_double(c))))
        << std::hex << a << ' ' << b << ' ' << c;
  }
}

TEST(FloatFormat, IntegersAreClamped) {
  const auto whole = [](double value, Rounding rounding) {
    return round_to_integer(unpack(std::bit_cast<std::uint64_t>(value), kFormatF64), rounding);
  };
  EXPECT_EQ(saturate(whole(300, Rounding::kZero), 8, false, 0), 255u);
  EXPECT_EQ(saturate(whole(-1e30, Rounding::kZero), 8, true, 0), ~std::uint64_t{127});
  EXPECT_EQ(saturate(whole(-1, Rounding::kZero), 64, false, 0), 0u);
  EXPECT_EQ(saturate(whole(-0x1p63, Rounding::kZero), 64, true, 0), std::uint64_t{1} << 63);
  EXPECT_EQ(saturate(whole(2.5, Rounding::kNearest), 32, true, 0), 2u);
  EXPECT_EQ(saturate(whole(-2.5, Rounding::kDown), 32, true, 0), ~std::uint64_t{2});
  EXPECT_EQ(saturate(whole(NAN, Rounding::kZero), 32, true, 7), 7u);
}

}  // namespace
}  // namespace burin::emulate
