#include <gtest/gtest.h>

#include "emulate/numbers/float_format.h"
#include "float_values.h"
#include "one_op.h"

namespace burin::emulate {
namespace {

class Dfma : public testing::TestWithParam<Rounding> {};

TEST_P(Dfma, IsRoundedOnce) {
  // DFMA R64, R8, R16, R24
  OneOp op({0x000000100840722b, 0x000fe20000000018 | static_cast<std::uint64_t>(GetParam())
                                                         << (78 - 64)});
  FloatValues values(7);
  Warp& w = op.warp();
  const auto at = [&](std::uint16_t r, unsigned i) {
    return std::uint64_t{w.slots[r + 1u][i]} << 32 | w.slots[r][i];
  };
  for (int k = 0; k < 500; ++k) {
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      for (const unsigned r : {8u, 16u, 24u}) {
        const std::uint64_t v = values.next(kFormatF64);
        w.slots[r][i] = static_cast<std::uint32_t>(v);
        w.slots[r + 1][i] = static_cast<std::uint32_t>(v >> 32);
      }
    }
    ASSERT_TRUE(op.run());
    for (unsigned i = 0; i < kWarpLanes; ++i) {
      const Exact exact = add(multiply(unpack(at(8, i), kFormatF64), unpack(at(16, i), kFormatF64)),
                              unpack(at(24, i), kFormatF64), GetParam());
      if (exact.is_nan()) {
        ASSERT_TRUE(unpack(at(64, i), kFormatF64).is_nan());
        continue;
      }
      ASSERT_EQ(at(64, i), pack(exact, kFormatF64, GetParam()));
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Roundings, Dfma,
                         testing::Values(Rounding::kNearest, Rounding::kDown, Rounding::kUp,
                                         Rounding::kZero));

TEST(Double, ANotANumberKeepsItsPayloadAndItsSign) {
  OneOp op({0x0000000008407229, 0x000fe20000000118});  // DADD R64, -R8, R24
  Warp& w = op.warp();
  w.slots[9][0] = 0xfff00000;  // a signalling one
  w.slots[8][0] = 0x1234;
  w.slots[9][1] = 0x7ff00000;  // inf - inf, negated: the sum of -inf and +inf
  w.slots[25][1] = 0x7ff00000;
  ASSERT_TRUE(op.run());
  EXPECT_EQ(w.slots[65][0], 0xfff80000u);
  EXPECT_EQ(w.slots[64][0], 0x1234u);
  EXPECT_EQ(w.slots[65][1], 0xfff80000u);
  EXPECT_EQ(w.slots[64][1], 0u);
}

TEST(Double, TheHighWordAloneMakesAResultUnknown) {
  OneOp op({0x0000000008407229, 0x000fe20000000018});  // DADD R64, R8, R24
  op.warp().unknown[25] = 0b10;
  ASSERT_TRUE(op.run(0b11));
  EXPECT_EQ(op.warp().unknown[64], 0b10u);
  EXPECT_EQ(op.warp().unknown[65], 0b10u);
}

}  // namespace
}  // namespace burin::emulate
