// What crosses lanes.
#include <gtest/gtest.h>

#include "bits.h"

namespace burin::emulate {
namespace {

constexpr std::uint64_t kTrue = 7;  // PT in a predicate's field
constexpr std::uint64_t kIndex = 0, kUp = 1, kDown = 2, kButterfly = 3;

// SHFL.mode P1, R4, R8, by, c with immediates.
Bits shuffle(std::uint64_t mode, std::uint64_t by, std::uint64_t c) {
  return Bits(0xf89).at(16, 4).at(24, 8).at(40, c).at(53, by).at(58, mode).at(81, 1);
}

void number_lanes(OneOp& op, std::uint16_t slot) {
  for (unsigned i = 0; i < kWarpLanes; ++i) op.warp().slots[slot][i] = 100 + i;
}

TEST(Shuffle, ReadsAnotherLaneAndSaysWhetherItMay) {
  struct Case {
    std::uint64_t mode, by, c;
    unsigned lane, from;
    bool within;
  };
  // __shfl_sync, __shfl_up_sync … compile to c = 0x1f (up: 0), with segments to c = 0x1c1f and
  // such.
  static constexpr Case kCases[] = {
      {kButterfly, 16, 0x1f, 3, 19, true},
      {kDown, 4, 0x1f, 27, 31, true},
      {kDown, 4, 0x1f, 28, 28, false},
      {kUp, 4, 0, 4, 0, true},
      {kUp, 4, 0, 3, 3, false},
      {kIndex, 9, 0x1f, 30, 9, true},
      {kIndex, 9, 0x181f, 30, 25, true},  // in segments of 8: lane 1 of 24 … 31
      {kDown, 4, 0x181f, 9, 13, true},
      {kDown, 4, 0x181f, 12, 12, false},
      {kUp, 4, 0x1800, 12, 8, true},
      {kUp, 4, 0x1800, 11, 11, false},
      {kButterfly, 7, 0x181f, 17, 22, true}};
  for (const Case& c : kCases) {
    OneOp op(shuffle(c.mode, c.by, c.c));
    number_lanes(op, 8);
    ASSERT_TRUE(op.run());
    EXPECT_EQ(op.warp().slots[4][c.lane], 100 + c.from) << op.text();
    EXPECT_EQ((op.warp().predicates[1] >> c.lane & 1) != 0, c.within) << op.text();
    EXPECT_EQ(op.warp().unknown[4], 0u);
  }
}

TEST(Shuffle, FromALaneThatDoesNotTakePartComesUnknown) {
  OneOp op(shuffle(kDown, 1, 0x1f));
  number_lanes(op, 8);
  ASSERT_TRUE(op.run(0x0000ffff));
  EXPECT_EQ(op.warp().slots[4][14], 115u);
  EXPECT_EQ(op.warp().unknown[4], Mask{1} << 15);
}

TEST(Shuffle, CarriesUnknownToWhoReadsIt) {
  OneOp op(shuffle(kButterfly, 1, 0x1f));
  op.warp().unknown[8] = Mask{1} << 6;
  ASSERT_TRUE(op.run());
  EXPECT_EQ(op.warp().unknown[4], Mask{1} << 7);
}

// VOTE.mode R4, P1, P2.
Bits vote(std::uint64_t opcode, std::uint64_t mode) {
  return Bits(opcode).at(16, 4).at(72, mode).at(81, 1).at(87, 2);
}

TEST(Vote, CountsTheLanesThatTakePart) {
  for (const std::uint64_t mode : {0, 1, 2}) {  // ALL, ANY, EQ
    for (const Mask yes : {Mask{0}, Mask{0xff}, Mask{0x0f}, kAllLanes}) {
      OneOp op(vote(0x806, mode));
      op.warp().predicates[2] = yes;
      ASSERT_TRUE(op.run(0xff));
      const Mask ballot = yes & 0xff;
      EXPECT_EQ(op.warp().slots[4][3], ballot);
      EXPECT_EQ(op.warp().slots[4][8], 0u);
      const bool expected = mode == 0   ? ballot == 0xff
                            : mode == 1 ? ballot != 0
                                        : ballot == 0xff || ballot == 0;
      EXPECT_EQ(op.warp().predicates[1], expected ? Mask{0xff} : 0) << op.text();
    }
  }
}

TEST(Vote, IsKnownWhereTheKnownLanesDecide) {
  OneOp any(vote(0x806, 1));
  any.warp().predicates[2] = 1;
  any.warp().predicate_unknown[2] = 2;
  ASSERT_TRUE(any.run());
  EXPECT_EQ(any.warp().predicates[1], kAllLanes);
  EXPECT_EQ(any.warp().predicate_unknown[1], 0u);
  EXPECT_EQ(any.warp().unknown[4], kAllLanes);

  OneOp all(vote(0x806, 0));
  all.warp().predicates[2] = kAllLanes;
  all.warp().predicate_unknown[2] = 2;
  ASSERT_TRUE(all.run());
  EXPECT_EQ(all.warp().predicate_unknown[1], kAllLanes);
}

TEST(Vote, OfTheUniformKindWritesForTheWholeWarp) {
  OneOp op(vote(0x886, 1));
  op.warp().predicates[2] = 0x30;
  ASSERT_TRUE(op.run(0xf0));
  EXPECT_EQ(op.warp().slots[kUniformSlot + 4][0], 0x30u);
  EXPECT_EQ(op.warp().slots[kUniformSlot + 4][31], 0x30u);
  EXPECT_EQ(op.warp().predicates[kUniformPredicateSlot + 1], kAllLanes);
}

TEST(Match, AnyGivesTheLanesOfTheSameValue) {
  OneOp op(Bits(0x3a1).at(16, 4).at(24, 8).at(79, 1));
  for (unsigned i = 0; i < kWarpLanes; ++i) op.warp().slots[8][i] = i % 4;
  ASSERT_TRUE(op.run(0xffff));
  EXPECT_EQ(op.warp().slots[4][5], 0x2222u);
  EXPECT_EQ(op.warp().slots[4][16], 0u);  // took no part
}

TEST(Match, AllSaysWhetherTheyAgreeInBothWords) {
  const Bits word = Bits(0x3a1).at(16, 4).at(24, 8).at(73, 1).at(81, 1);  // MATCH.ALL.U64
  OneOp op(word);
  ASSERT_TRUE(op.run(0xff));
  EXPECT_EQ(op.warp().slots[4][0], 0xffu);
  EXPECT_EQ(op.warp().predicates[1], 0xffu);
  op.warp().slots[9][3] = 1;
  ASSERT_TRUE(op.run(0xff));
  EXPECT_EQ(op.warp().slots[4][0], 0u);
  EXPECT_EQ(op.warp().predicates[1], 0u);
}

TEST(Reduce, OverTheLanesThatTakePart) {
  struct Case {
    std::uint64_t operation, is_signed;
    std::uint32_t expected;
  };
  // Values -3, 5, 12 and, taking no part, 1.
  static constexpr Case kCases[] = {{0, 0, 0xfffffffd & 5 & 12},
                                    {1, 0, 0xfffffffd | 5 | 12},
                                    {2, 0, 0xfffffffd ^ 5 ^ 12},
                                    {3, 0, 14},
                                    {3, 1, 14},
                                    {4, 0, 5},
                                    {4, 1, 0xfffffffd},
                                    {5, 0, 0xfffffffd},
                                    {5, 1, 12}};
  for (const Case& c : kCases) {
    OneOp op(Bits(0x3c4).at(16, 4).at(24, 8).at(73, c.is_signed).at(78, c.operation));
    op.warp().slots[8][0] = 1;
    op.warp().slots[8][1] = 0xfffffffd;
    op.warp().slots[8][2] = 5;
    op.warp().slots[8][3] = 12;
    ASSERT_TRUE(op.run(0xe)) << op.text();
    for (const unsigned lane : {0u, 1u, 31u}) {
      EXPECT_EQ(op.warp().slots[kUniformSlot + 4][lane], c.expected) << op.text();
    }
    EXPECT_EQ(op.warp().unknown[kUniformSlot + 4], 0u);
    op.warp().unknown[8] = 2;
    ASSERT_TRUE(op.run(0xe));
    EXPECT_EQ(op.warp().unknown[kUniformSlot + 4], kAllLanes);
  }
}

TEST(Elect, TakesTheLowestLane) {
  OneOp op(Bits(0x82f).at(16, 4).at(81, 1).at(87, kTrue));
  op.warp().predicates[1] = kAllLanes;
  ASSERT_TRUE(op.run(0xfff0));
  EXPECT_EQ(op.warp().predicates[1], 0xffff001fu);  // lanes that took no part keep theirs
  EXPECT_EQ(op.warp().slots[kUniformSlot + 4][0], 4u);
}

}  // namespace
}  // namespace burin::emulate
