#include "timing/trace/active_blocks.h"

#include <gtest/gtest.h>

#include <set>

namespace burin::timing {
namespace {

TEST(ActiveBlocks, KnowsEachBlockAndItsPosition) {
  const ActiveBlocks active({3, 50, 51, 99}, 1, 100);
  EXPECT_EQ(active.size(), 4u);
  EXPECT_EQ(active.idle(), 96u);
  EXPECT_EQ(active.block(2), 51u);
  EXPECT_EQ(active.find(51), 2u);
  EXPECT_EQ(active.find(52), std::nullopt);
  EXPECT_EQ(active.nearest(0), 0u);
  EXPECT_EQ(active.nearest(40), 1u);
  EXPECT_EQ(active.nearest(60), 2u);
}

TEST(ActiveBlocks, StandForTheirWholePartOfABand) {
  const ActiveBlocks active({9, 14, 16}, 4, 100);  // one of 8 … 11, of 12 … 15, of 16 … 19
  ASSERT_EQ(active.size(), 12u);
  for (std::uint64_t p = 0; p < active.size(); ++p) EXPECT_EQ(active.block(p), 8 + p);
}

TEST(ActiveBlocks, StandForOthersUpToTheNextWhereTheyAreAlone) {
  const ActiveBlocks active({0, 200, 400}, 4, 600);
  for (std::uint64_t p = 0; p < active.size(); ++p) EXPECT_EQ(active.block(p), 50 * p);
}

TEST(ActiveBlocks, NeverLieOutsideTheGrid) {
  const ActiveBlocks active({93, 97}, 8, 99);
  for (std::uint64_t p = 0; p < active.size(); ++p) EXPECT_LT(active.block(p), 99u);
}

}  // namespace
}  // namespace burin::timing
