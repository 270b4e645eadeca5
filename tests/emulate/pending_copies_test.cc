#include "emulate/memory/pending_copies.h"

#include <gtest/gtest.h>

namespace burin::emulate {
namespace {

constexpr Mask kLane3 = Mask{1} << 3;

class Pending : public testing::Test {
 protected:
  Pending() { copies.reset(4096); }
  void copy(std::uint32_t thread, std::uint32_t word, std::uint32_t words = 1) {
    copies.begin({.thread = thread, .instruction = 7, .word = word, .words = words});
  }
  PendingCopies copies;
};

TEST_F(Pending, AWaitLeavesTheLastGroups) {
  for (std::uint32_t k = 0; k < 3; ++k) {
    copy(3, 4 * k, 4);
    copies.commit(0, kLane3);
  }
  copies.wait(0, kLane3, 1);
  EXPECT_FALSE(copies.touches(0));
  EXPECT_FALSE(copies.touches(7));
  EXPECT_TRUE(copies.touches(8));
  copies.wait(0, kLane3, 0);
  EXPECT_FALSE(copies.any());
}

TEST_F(Pending, AGroupThatIsOpenIsNotWaitedFor) {
  copy(3, 10);
  copies.wait(0, kLane3, 0);
  EXPECT_TRUE(copies.touches(10));
  copies.finish(0, kLane3);
  EXPECT_FALSE(copies.touches(10));
}

TEST_F(Pending, ThreadsWaitForTheirOwn) {
  copy(3, 10);
  copy(35, 10);
  copies.commit(0, kAllLanes);
  copies.commit(1, kAllLanes);
  copies.wait(0, kAllLanes, 0);
  ASSERT_TRUE(copies.touches(10));
  EXPECT_EQ(copies.at(10).thread, 35u);
  copies.wait(1, ~kLane3, 0);
  EXPECT_TRUE(copies.touches(10));
  copies.reset(4096);
  EXPECT_FALSE(copies.touches(10));
}

}  // namespace
}  // namespace burin::emulate
