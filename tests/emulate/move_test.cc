// Moves between files, and what is known although a source is not.
#include <gtest/gtest.h>

#include "bits.h"

namespace burin::emulate {
namespace {

constexpr std::uint64_t kRz = 255, kPt = 7;

TEST(Move, PredicatesGoToAByteAndComeBack) {
  OneOp pack(Bits(0x803).at(16, 4).at(24, 8).at(32, 0x25).at(76, 2));  // P2R.B2 R4, PR, R8, 0x25
  pack.warp().predicates[0] = 0x1;
  pack.warp().predicates[2] = 0x3;
  pack.warp().predicates[1] = kAllLanes;  // not named
  pack.warp().slots[8][0] = 0xffffffff;
  ASSERT_TRUE(pack.run()) << pack.text();
  EXPECT_EQ(pack.warp().slots[4][0], 0xffdfffffu);
  EXPECT_EQ(pack.warp().slots[4][1], 0x00040000u);

  OneOp unpack(Bits(0x804).at(24, 8).at(32, 0x25).at(76, 2));  // R2P PR, R8.B2, 0x25
  unpack.warp().predicates[1] = 0xabc;
  unpack.warp().slots[8][0] = 0x00210000;
  ASSERT_TRUE(unpack.run()) << unpack.text();
  EXPECT_EQ(unpack.warp().predicates[0], 1u);
  EXPECT_EQ(unpack.warp().predicates[1], 0xabcu);
  EXPECT_EQ(unpack.warp().predicates[2], 0u);
  EXPECT_EQ(unpack.warp().predicates[5], 1u);
}

TEST(Move, ToTheUniformFileGoesTheFirstLaneThatRuns) {
  OneOp op(Bits(0x2ca).at(16, 4).at(24, 8).at(81, kPt));  // R2UR UR4, R8
  for (unsigned i = 0; i < kWarpLanes; ++i) op.warp().slots[8][i] = i < 8 ? 5 : 6;
  ASSERT_TRUE(op.run()) << op.text();
  EXPECT_EQ(op.warp().slots[kUniformSlot + 4][31], 5u);
  ASSERT_TRUE(op.run(0xff00));
  EXPECT_EQ(op.warp().slots[kUniformSlot + 4][0], 6u);
  EXPECT_EQ(op.warp().unknown[kUniformSlot + 4], 0u);
  op.warp().unknown[8] = 1u << 31;
  ASSERT_TRUE(op.run());
  EXPECT_EQ(op.warp().unknown[kUniformSlot + 4], kAllLanes);
}

TEST(Move, ToTheUniformFileWithAPredicateForLanesThatDiffer) {
  OneOp op(Bits(0x2ca).at(16, 4).at(24, 8).at(81, 2));  // R2UR P2, UR4, R8
  for (unsigned i = 0; i < kWarpLanes; ++i) op.warp().slots[8][i] = i < 8 ? 5 : 6;
  op.warp().predicates[2] = 0xf;
  ASSERT_TRUE(op.run()) << op.text();
  EXPECT_EQ(op.warp().slots[kUniformSlot + 4][0], 5u);
  EXPECT_EQ(op.warp().predicates[2], 0xffffff00u) << "the loop goes on for these";
  OneOp either(Bits(0x2ca).at(16, 4).at(24, 8).at(81, 2).at(84, 1));  // R2UR.OR P2, UR4, R8
  for (unsigned i = 0; i < kWarpLanes; ++i) either.warp().slots[8][i] = i < 8 ? 5 : 6;
  either.warp().predicates[2] = 0xf;
  ASSERT_TRUE(either.run()) << either.text();
  EXPECT_EQ(either.warp().predicates[2], 0xffffff0fu);
  op.warp().unknown[8] = 1;
  ASSERT_TRUE(op.run());
  EXPECT_EQ(op.warp().predicates[2], 0u) << "Unknown values count as equal";
  EXPECT_EQ(op.warp().predicate_unknown[2], 0u);
}

TEST(Move, TheAddressOfAnInstruction) {
  OneOp op(Bits(0x34e).at(16, 4));  // LEPC R4
  op.warp().slots[4][0] = op.warp().slots[5][0] = 1;
  ASSERT_TRUE(op.run()) << op.text();
  EXPECT_EQ(op.warp().slots[4][0], 0u);
  EXPECT_EQ(op.warp().slots[5][0], 0u);
}

TEST(Known, ASelectionOfEqualsDoesNotNeedItsPredicate) {
  OneOp op(Bits(0x207).at(16, 4).at(24, 8).at(32, 9).at(87, 1));  // SEL R4, R8, R9, P1
  op.warp().slots[9][1] = 3;
  op.warp().predicate_unknown[1] = 3;
  ASSERT_TRUE(op.run()) << op.text();
  EXPECT_EQ(op.warp().unknown[4], 2u);
}

TEST(Known, ASelectionTakesOnlyWhatItChose) {
  OneOp op(Bits(0x207).at(16, 4).at(24, 8).at(32, 9).at(87, 1));
  op.warp().unknown[9] = 0xf;
  op.warp().predicates[1] = 0x3;
  ASSERT_TRUE(op.run());
  EXPECT_EQ(op.warp().unknown[4], 0xcu);
}

TEST(Known, BitsThatAreMaskedAwayDoNotMatter) {
  OneOp op(Bits(0x212).at(16, 4).at(24, 8).at(32, 9).at(64, kRz).at(72, 0xc0).at(81, 7).at(87, 15));
  op.warp().unknown[8] = 3;  // LOP3.LUT R4, R8, R9, RZ, 0xc0, !PT: R8 & R9
  op.warp().slots[9][1] = 1;
  ASSERT_TRUE(op.run()) << op.text();
  EXPECT_EQ(op.warp().slots[4][0], 0u);
  EXPECT_EQ(op.warp().unknown[4], 2u);
}

TEST(Known, NothingTimesUnknownIsNothing) {
  OneOp op(Bits(0x224).at(16, 4).at(24, 8).at(32, 9).at(64, 10).at(73, 1));  // IMAD R4, R8, R9, R10
  op.warp().unknown[8] = 3;
  op.warp().slots[9][1] = 1;
  op.warp().slots[10][0] = 42;
  ASSERT_TRUE(op.run()) << op.text();
  EXPECT_EQ(op.warp().slots[4][0], 42u);
  EXPECT_EQ(op.warp().unknown[4], 2u);
}

TEST(Known, AComparisonThatIsAndedWithFalseIsFalse) {
  OneOp op(Bits(0x20c).at(24, 8).at(32, 9).at(73, 1).at(76, 1).at(81, 2).at(84, 7).at(87, 1));
  op.warp().unknown[8] = 3;  // ISETP.LT.AND P2, PT, R8, R9, P1
  op.warp().predicates[1] = 2;
  ASSERT_TRUE(op.run()) << op.text();
  EXPECT_EQ(op.warp().predicate_unknown[2], 2u);
  EXPECT_EQ(op.warp().predicates[2] & 1, 0u);
}

TEST(Known, AnUnknownGuardMakesWhatItWritesUnknown) {
  OneOp op(Bits(0x202).guard(1).at(16, 4).at(32, 8).at(72, 15));  // @P1 MOV R4, R8
  op.warp().predicates[1] = 0x1;
  op.warp().predicate_unknown[1] = 0x2;
  op.warp().slots[8][0] = 9;
  ASSERT_TRUE(op.run()) << op.text();
  EXPECT_EQ(op.warp().slots[4][0], 9u);
  EXPECT_EQ(op.warp().unknown[4], 2u);
}

TEST(Move, AConstantOfABankInARegisterIsRefused) {
  OneOp op(Bits(0xa02).at(16, 4).at(32, 6).at(72, 15).at(91, 1));  // MOV R4, cx[UR6][0x0]
  EXPECT_FALSE(op.run()) << op.text();
}

TEST(Move, APairBehindTheLastRegisterIsRefused) {
  OneOp op(Bits(0x225).at(16, 254).at(24, 8).at(32, 9).at(64, 10).at(81, 7));  // IMAD.WIDE R254, …
  EXPECT_FALSE(op.run()) << op.text();
}

}  // namespace
}  // namespace burin::emulate
