#include <gtest/gtest.h>

#include "one_op.h"

namespace burin::emulate {
namespace {

// R64 (and R65) from R16 (and R17) of lane 0.
std::uint64_t convert(OneOp::Word word, std::uint64_t value) {
  OneOp op(word);
  op.warp().slots[16][0] = static_cast<std::uint32_t>(value);
  op.warp().slots[17][0] = static_cast<std::uint32_t>(value >> 32);
  EXPECT_TRUE(op.run(1)) << op.text();
  return std::uint64_t{op.warp().slots[65][0]} << 32 | op.warp().slots[64][0];
}

constexpr OneOp::Word kF2iTrunc{0x0000001000407305, 0x000fe2000020f100};   // F2I.TRUNC.NTZ
constexpr OneOp::Word kF2iLong{0x0000001000407311, 0x000fe2000020d900};    // F2I.S64.TRUNC
constexpr OneOp::Word kF2iDouble{0x0000001000407311, 0x000fe2000030d100};  // F2I.F64.TRUNC
constexpr OneOp::Word kI2fUp{0x0000001008407306, 0x000fe20000209018};      // I2F.U32.RP
constexpr OneOp::Word kI2fLongUp{0x0000001000407312, 0x000fe20000309000};  // I2F.U64.RP

TEST(Convert, FloatsToIntegersClampAndSettleNan) {
  EXPECT_EQ(convert(kF2iTrunc, 0x4f000000), 0x7fffffffu);
  EXPECT_EQ(convert(kF2iTrunc, 0xcf000001), 0x80000000u);
  EXPECT_EQ(convert(kF2iTrunc, 0xbfffffff), 0xffffffffu);
  EXPECT_EQ(convert(kF2iTrunc, 0x7fc00000), 0u);
  EXPECT_EQ(convert(kF2iLong, 0x7fc00000), std::uint64_t{1} << 63);
  EXPECT_EQ(convert(kF2iLong, 0x5f000000), ~std::uint64_t{0} >> 1);
  EXPECT_EQ(convert(kF2iDouble, 0x7ff8000000000000), 0x80000000u);
  EXPECT_EQ(convert(kF2iDouble, 0xc1e0000000200000), 0x80000000u);
}

TEST(Convert, IntegersToFloatsRoundAsTold) {
  EXPECT_EQ(convert(kI2fUp, 0x01000001), 0x4b800001u);
  EXPECT_EQ(convert(kI2fUp, 0xffffffff), 0x4f800000u);
  EXPECT_EQ(convert(kI2fLongUp, 0x8000000000000001), 0x5f000001u);
}

TEST(Convert, PackedIntegersClamp) {
  OneOp op({0x0000001008407239, 0x000fe20000007618});  // I2IP.S4.S32.SAT R64, R8, R16, R24.24
  Warp& w = op.warp();
  w.slots[8][0] = 100;
  w.slots[16][0] = static_cast<std::uint32_t>(-100);
  w.slots[24][0] = 0x12345678;
  ASSERT_TRUE(op.run());
  EXPECT_EQ(w.slots[64][0], 0x34567878u);  // 7 above -8
}

TEST(Convert, BytesOfFloatsSaturate) {
  // F2FP.SATFINITE.E4M3.F32.PACK_AB_MERGE_C R64, R8, R16, R24
  OneOp op({0x000000100840723e, 0x000fe20004807018});
  Warp& w = op.warp();
  w.slots[8][0] = 0x7f800000;   // infinity: 448
  w.slots[16][0] = 0xbf880000;  // -1.0625, half way between -1 and -1.125
  w.slots[24][0] = 0xabcd1234;
  ASSERT_TRUE(op.run());
  EXPECT_EQ(w.slots[64][0], 0x12347eb8u);
}

}  // namespace
}  // namespace burin::emulate
