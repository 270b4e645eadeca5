// Branches, one instruction at a time.
#include <gtest/gtest.h>

#include "one_op.h"

namespace burin {
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

}  // namespace
}  // namespace burin
