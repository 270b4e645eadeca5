#include "emulate/lower.h"

#include <gtest/gtest.h>

#include "one_op.h"

namespace burin {
namespace {

TEST(Lower, WhatNoRowTakesIsRefusedByNameWhenItIsReached) {
  OneOp op({0x0000000000007918, ~std::uint64_t{0}});
  EXPECT_FALSE(op.run());
  ASSERT_TRUE(op.grid().error());
}

}  // namespace
}  // namespace burin
