#include "emulate/fault.h"

#include <gtest/gtest.h>

namespace burin {
namespace {

// Reports are the same whatever the order in which workers come to a mistake.
TEST(FaultList, KeepsTheLowestBlockAndCountsTheRest) {
  FaultList list;
  list.add({.instruction = 7, .block = {5, 1, 0}, .detail = ""});
  list.add({.instruction = 7, .block = {9, 0, 0}, .thread = {3, 0, 0}, .detail = "", .count = 4});
  list.add({.instruction = 7, .block = {9, 0, 0}, .thread = {1, 0, 0}, .detail = ""});
  list.add({.kind = Fault::Kind::kMisaligned, .instruction = 7, .detail = ""});
  list.add({.instruction = 2, .detail = ""});
  const std::vector<Fault> faults = list.take();
  ASSERT_EQ(faults.size(), 3u);
  EXPECT_EQ(faults[0].instruction, 2u);
  EXPECT_EQ(faults[1].kind, Fault::Kind::kOutOfBounds);
  EXPECT_EQ(faults[1].block, (Dims{9, 0, 0}));
  EXPECT_EQ(faults[1].thread, (Dims{3, 0, 0}));
  EXPECT_EQ(faults[1].count, 6u);
  EXPECT_EQ(faults[2].kind, Fault::Kind::kMisaligned);
}

}  // namespace
}  // namespace burin
