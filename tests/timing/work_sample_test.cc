#include "timing/trace/work_sample.h"

#include <gtest/gtest.h>

#include <set>

namespace burin::timing {
namespace {

std::vector<BlockWork> numbered(std::size_t count) {
  std::vector<BlockWork> works(count);
  for (std::size_t k = 0; k < count; ++k) works[k].steps = static_cast<double>(k);
  return works;
}

TEST(WorkSample, EachBlockStandsForItself) {
  for (const launch::Dims grid :
       {launch::Dims{7, 1, 1}, launch::Dims{5, 3, 1}, launch::Dims{3, 4, 2}}) {
    WorkSample sample(grid, 100);
    const std::vector<std::uint64_t> blocks = sample.blocks();
    ASSERT_EQ(blocks.size(), grid.total());
    for (std::uint64_t b = 0; b < blocks.size(); ++b) EXPECT_EQ(blocks[b], b);
  }
}

TEST(WorkSample, EveryCellHasABlockOfItsOwn) {
  for (const launch::Dims grid : {launch::Dims{1000, 1, 1}, launch::Dims{64, 256, 1},
                                  launch::Dims{4, 1024, 1}, launch::Dims{17, 31, 5}}) {
    WorkSample sample(grid, 100);
    const std::vector<std::uint64_t> blocks = sample.blocks();
    EXPECT_LE(blocks.size(), 100u);
    EXPECT_GE(blocks.size(), 40u);
    sample.set(numbered(blocks.size()));
    std::set<double> seen;
    for (std::uint64_t b = 0; b < grid.total(); ++b) seen.insert(sample.of(b).steps);
    EXPECT_EQ(seen.size(), blocks.size());
    for (std::size_t k = 0; k < blocks.size(); ++k) {
      EXPECT_EQ(sample.of(blocks[k]).steps, static_cast<double>(k)) << launch::to_string(grid);
    }
  }
}

TEST(WorkSample, MeanCountsCellsByTheirSize) {
  WorkSample sample({10, 1, 1}, 3);  // cells of 4, 3 and 3 blocks
  sample.set({work_of_warps({10}), work_of_warps({20}), work_of_warps({40})});
  double sum = 0;
  for (std::uint64_t b = 0; b < 10; ++b) sum += sample.of(b).steps;
  EXPECT_DOUBLE_EQ(sample.mean_steps(), sum / 10);
  EXPECT_FALSE(sample.even());
  sample.set({work_of_warps({100}), work_of_warps({101}), work_of_warps({100})});
  EXPECT_TRUE(sample.even());
}

TEST(WorkSample, TheLastAlongAnAxisMayBeOfAKindOfTheirOwn) {
  const launch::Dims grid{16, 64, 4};
  WorkSample sample(grid, 64, true);
  for (const std::uint64_t block : sample.blocks()) {
    EXPECT_NE(block / grid.x % grid.y, grid.y - 1) << "the cells are of the others";
  }
  sample.set(std::vector(sample.blocks().size(), work_of_warps({10})));
  EXPECT_TRUE(sample.even());
  sample.set_faces({work_of_warps({11}), work_of_warps({500}), work_of_warps({9})});
  double sum = 0;
  for (std::uint64_t b = 0; b < grid.total(); ++b) {
    const bool last = b / grid.x % grid.y == grid.y - 1;
    EXPECT_EQ(sample.of(b).steps, last ? 500 : 10) << b;
    sum += sample.of(b).steps;
  }
  EXPECT_DOUBLE_EQ(sample.mean_steps(), sum / static_cast<double>(grid.total()));
  EXPECT_FALSE(sample.even());
  EXPECT_EQ(sample.longest() / grid.x % grid.y, grid.y - 1);
}

TEST(WorkSample, OfActiveBlocksKnowsTheIdleOnesToo) {
  WorkSample sample(ActiveBlocks({5, 10, 90}, 1, 100), work_of_warps({2}), 100);
  EXPECT_EQ(sample.blocks(), (std::vector<std::uint64_t>{0, 1, 2}));
  sample.set({work_of_warps({100}), work_of_warps({100}), work_of_warps({100})});
  EXPECT_EQ(sample.of(10).steps, 100);
  EXPECT_EQ(sample.of(11).steps, 2);
  EXPECT_EQ(sample.mean_steps(), 100);
  EXPECT_TRUE(sample.active_even());
  EXPECT_FALSE(sample.even());
}

}  // namespace
}  // namespace burin::timing
