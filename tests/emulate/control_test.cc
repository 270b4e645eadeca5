// Branches, one instruction at a time.
#include <gtest/gtest.h>

#include "one_op.h"

namespace burin::emulate {
namespace {

TEST(Control, ABranchOfTheWarpHangsOnTheUniformPredicate) {
  OneOp op({0xfffffffd00fc7547, 0x000fe2000b83ffff});
  ASSERT_EQ(op.text(), "BRA.U UP0, 0x0");
  ASSERT_TRUE(op.run());
  EXPECT_EQ(op.warp().taken, 0u);
  op.warp().predicates[kUniformPredicateSlot] = kAllLanes;
  ASSERT_TRUE(op.run());
  EXPECT_EQ(op.warp().taken, kAllLanes);
}

// WARPGROUP.ARRIVE and .WAIT are a barrier of four warps; the second of them is still to come.
TEST(Control, AWarpgroupWaitsForAllThatArrive) {
  OneOp wait({0x00000000000079c5, 0x000fe20000008000});
  ASSERT_EQ(wait.text(), "WARPGROUP.WAIT");
  auto& warps = wait.block().warps;
  auto other = std::make_unique<Warp>();
  other->index = 1;
  other->live = kAllLanes;
  warps.push_back(std::move(other));
  warps[0]->group_arrivals = 1;
  wait.warp().retry = false;
  ASSERT_TRUE(wait.run());
  EXPECT_TRUE(wait.warp().retry);
  warps[1]->group_arrivals = 1;
  wait.warp().retry = false;
  ASSERT_TRUE(wait.run());
  EXPECT_FALSE(wait.warp().retry);

  OneOp arrive({0x00000000000079c5, 0x000fe20000000000});
  ASSERT_EQ(arrive.text(), "WARPGROUP.ARRIVE");
  ASSERT_TRUE(arrive.run());
  EXPECT_EQ(arrive.warp().group_arrivals, 1u);
}

}  // namespace
}  // namespace burin::emulate
