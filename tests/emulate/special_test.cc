// The special registers.
#include <gtest/gtest.h>

#include "bits.h"

namespace burin::emulate {
namespace {

Bits read_special(std::uint64_t number) {
  return Bits(0x919).at(16, 5).at(72, number);
}

TEST(Special, ThreadsAreNumberedXFirst) {
  launch::Launch launch{.block = {8, 3, 4}};
  struct Case {
    std::uint64_t number;
    std::uint32_t expected;
  };
  for (const Case c : {Case{0x21, 5}, Case{0x22, 2}, Case{0x23, 2}}) {
    OneOp op(read_special(c.number));
    op.grid().launch = &launch;
    op.warp().index = 2;  // threads 64 …
    ASSERT_TRUE(op.run()) << op.text();
    EXPECT_EQ(op.warp().slots[5][5], c.expected) << op.text();  // 69 = 5 + 8 (2 + 3 · 2)
  }
}

TEST(Special, BlocksAndClusters) {
  struct Case {
    std::uint64_t number;
    std::uint32_t expected;
  };
  for (const Case c : {Case{0x25, 7}, Case{0x26, 8}, Case{0x27, 9}, Case{0x88, 3}}) {
    OneOp op(read_special(c.number));
    op.block().index = {7, 8, 9};
    op.block().rank = 3;
    ASSERT_TRUE(op.run()) << op.text();
    EXPECT_EQ(op.warp().slots[5][31], c.expected) << op.text();
  }
}

TEST(Special, LaneMasks) {
  struct Case {
    std::uint64_t number;
    std::uint32_t lane_4, lane_31;
  };
  for (const Case c : {Case{0x00, 4, 31}, Case{0x38, 0x10, 0x80000000}, Case{0x39, 0xf, 0x7fffffff},
                       Case{0x3a, 0x1f, 0xffffffff}, Case{0x3b, 0xffffffe0, 0},
                       Case{0x3c, 0xfffffff0, 0x80000000}}) {
    OneOp op(read_special(c.number));
    ASSERT_TRUE(op.run());
    EXPECT_EQ(op.warp().slots[5][4], c.lane_4) << op.text();
    EXPECT_EQ(op.warp().slots[5][31], c.lane_31) << op.text();
  }
}

TEST(Special, TheSharedWindowAndItsSize) {
  OneOp window(read_special(0x2f));  // SR_SWINHI
  ASSERT_TRUE(window.run());
  EXPECT_EQ(window.warp().slots[5][0], kSharedWindow >> 32);
  OneOp size(read_special(0x32));  // SR_SMEMSZ
  size.grid().shared_bytes = 1024 + 200;
  ASSERT_TRUE(size.run());
  EXPECT_EQ(size.warp().slots[5][0], 1280u);
}

TEST(Special, ClocksAndThePlaceOnTheChipAreUnknown) {
  for (const std::uint64_t number : {0x50, 0x51, 0x52, 0x53, 0x43, 0x03, 0x64}) {
    OneOp op(read_special(number));
    ASSERT_TRUE(op.run()) << op.text();
    EXPECT_EQ(op.warp().unknown[5], kAllLanes) << op.text();
  }
}

TEST(Special, OneThatWeDoNotKnowIsRefusedByName) {
  OneOp op(read_special(0x12));
  EXPECT_FALSE(op.run());
  ASSERT_TRUE(op.grid().error());
  EXPECT_NE(op.grid().error()->message.find("SR_Y_DIRECTION"), std::string::npos);
}

TEST(Special, PairsAndUniformRegisters) {
  OneOp zeros(Bits(0x805).at(16, 4).at(72, 0xff).at(80, 1));  // CS2R R4, SRZ
  for (const unsigned slot : {4u, 5u}) zeros.warp().unknown[slot] = kAllLanes;
  ASSERT_TRUE(zeros.run()) << zeros.text();
  EXPECT_EQ(zeros.warp().unknown[4] | zeros.warp().unknown[5], 0u);
  OneOp clock(Bits(0x805).at(16, 4).at(72, 0x50).at(80, 1));  // CS2R R4, SR_CLOCKLO
  ASSERT_TRUE(clock.run());
  EXPECT_EQ(clock.warp().unknown[4] & clock.warp().unknown[5], kAllLanes);
  OneOp block(Bits(0x9c3).at(16, 4).at(72, 0x25));  // S2UR UR4, SR_CTAID.X
  block.block().index.x = 77;
  ASSERT_TRUE(block.run(0x100)) << block.text();
  EXPECT_EQ(block.warp().slots[kUniformSlot + 4][0], 77u);
}

}  // namespace
}  // namespace burin::emulate
