#include "emulate/state/lower.h"

#include <gtest/gtest.h>

#include "one_op.h"

namespace burin::emulate {
namespace {

TEST(Lower, WhatNoRowTakesIsRefusedByNameWhenItIsReached) {
  OneOp op({0x0000000000007fff, 0});  // no such opcode
  EXPECT_FALSE(op.run());
  ASSERT_TRUE(op.grid().error());
}

}  // namespace
}  // namespace burin::emulate
