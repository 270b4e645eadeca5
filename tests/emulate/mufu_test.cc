#include "emulate/numbers/mufu.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numbers>

#include "one_op.h"

namespace burin::emulate {
namespace {

float of(MufuFunction function, float x) {
  return std::bit_cast<float>(mufu(function, std::bit_cast<std::uint32_t>(x)));
}

// By its definition: bit by bit.
TEST(Mufu, TheTruncatedSquareIsTheSumOfItsColumns) {
  constexpr unsigned kBits = 17;
  for (std::uint32_t place = 0; place < 1u << kBits; ++place) {
    std::uint32_t sum = 0;
    const auto add = [&](unsigned column) { sum += column >= 19 ? 1u << (column - 19) : 0; };
    for (unsigned i = 0; i < kBits; ++i) {
      if ((place >> i & 1) == 0) continue;
      add(2 * i);
      for (unsigned j = i + 1; j < kBits; ++j)
        if ((place >> j & 1) != 0) add(i + j + 1);
    }
    ASSERT_EQ(truncated_square(place), sum) << place;
  }
}

struct Special {
  MufuFunction function;
  std::uint32_t in;
  std::uint32_t out;
};
constexpr std::uint32_t kInf = 0x7f800000;
constexpr std::uint32_t kNan = 0x7fffffff;
constexpr std::uint32_t kSign = 0x80000000;

TEST(Mufu, SpecialValues) {
  using enum MufuFunction;
  const Special specials[] = {
      {kRcp, 0, kInf},
      {kRcp, kSign, kInf | kSign},
      {kRcp, 0x807fffff, kInf | kSign},  // a denormal is zero
      {kRcp, 0x7f000000, 0},             // and so is a result that would be one
      {kRcp, kInf | kSign, kSign},
      {kRsq, 0, kInf},
      {kRsq, kSign, kInf | kSign},
      {kRsq, 0xbf800000, kNan},
      {kRsq, kInf, 0},
      {kSqrt, kSign, kSign},
      {kSqrt, 0xbf800000, kNan},
      {kLg2, 0, kInf | kSign},
      {kLg2, 0x3f800000, 0},
      {kLg2, 0xbf800000, kNan},
      {kLg2, kInf, kInf},
      {kEx2, kInf | kSign, 0},
      {kEx2, 0x43000000, kInf},
      {kEx2, 0xc2fc0000, 0x00800000},  // 2^-126, the smallest
      {kEx2, 0xc2fe0000, 0},
      {kSin, kInf, kNan},
      {kCos, 0, 0x3f800000},
      {kTanh, kInf | kSign, 0xbf800000},
      {kRcp, 0xffc00000, kNan},
      {kRcp64h, 0x40000000, 0x3fe00000},
      {kRcp64h, 0x80000000, 0xfff00000},
      {kRsq64h, 0x40100000, 0x3fe00000},
  };
  for (const Special& s : specials) {
    EXPECT_EQ(mufu(s.function, s.in), s.out)
        << static_cast<int>(s.function) << std::hex << ' ' << s.in;
  }
}

TEST(Mufu, IsCloseToTheFunction) {
  for (int k = -4000; k < 4000; ++k) {
    const float x = static_cast<float>(k) / 256 + 0.001F;
    const double d = static_cast<double>(x);
    const auto close = [&](MufuFunction f, double truth, double error) {
      EXPECT_NEAR(static_cast<double>(of(f, x)), truth, error) << x;
    };
    close(MufuFunction::kSin, std::sin(2 * std::numbers::pi * d), 0x1p-20);
    close(MufuFunction::kCos, std::cos(2 * std::numbers::pi * d), 0x1p-20);
    close(MufuFunction::kTanh, std::tanh(d), 0x1p-11);
    close(MufuFunction::kEx2, std::exp2(d), std::exp2(d) * 0x1p-22);
    if (x <= 0) continue;
    close(MufuFunction::kRcp, 1 / d, 0x1p-22 / d);
    close(MufuFunction::kRsq, 1 / std::sqrt(d), 0x1p-22 / std::sqrt(d));
    close(MufuFunction::kSqrt, std::sqrt(d), 0x1p-22 * std::sqrt(d));
    close(MufuFunction::kLg2, std::log2(d), 0x1p-21 * std::max(1.0, std::fabs(std::log2(d))));
  }
}

TEST(Mufu, HalvesAreCutOff) {
  using enum MufuFunction;
  EXPECT_EQ(mufu_half(kRcp, 0x4200), 0x3555u);     // 1/3 = 0x3555.55…
  EXPECT_EQ(mufu_half(kRcp, 0x4400), 0x3400u);     // 1/4
  EXPECT_EQ(mufu_half(kEx2, 0xcb80), 0x0200u);     // 2^-15, a denormal
  EXPECT_EQ(mufu_half(kEx2, 0xce01), 0x0000u);     // below 2^-24
  EXPECT_EQ(mufu_half(kEx2, 0x4c00), 0x7c00u);     // 2^16
  EXPECT_EQ(mufu_half(kRsq, 0xbc00), 0x7fffu);     // of -1
  EXPECT_EQ(mufu_bfloat(kSqrt, 0x4040), 0x3fddu);  // sqrt(3) = 0x3fddb3d7
  EXPECT_EQ(mufu_bfloat(kLg2, 0xff80), 0x7fffu);
}

TEST(Mufu, ReadsTheHalfItIsTold) {
  OneOp op({0x1000001008407308, 0x000fe20000000918});  // MUFU.EX2.F16 R64, R16.H1
  op.warp().slots[16][0] = 0x40000000;                 // 2 in the high half
  ASSERT_TRUE(op.run());
  EXPECT_EQ(op.warp().slots[64][0], 0x4400u);  // 4 in the low one
}

}  // namespace
}  // namespace burin::emulate
