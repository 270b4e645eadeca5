// Is advice on another launch given only where the code allows it, and does it say what to do with
// the indices then? tests/data/emulate/launch_facts.cu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "asked.h"

namespace burin::advise {
namespace {

using testing::HasSubstr;
using testing::Not;

Advised facts(const std::string& kernel, const timing::TimedLaunch::Shape& shape) {
  return Advised("launch_facts.fatbin", kernel, shape);
}

// A block works on the row of its number: rows are split along y.
TEST(LaunchAdvice, LoopsOverTheRowOfABlockAreSplitAlongAFreeAxis) {
  const auto found = ask("block-increase",
                         facts("row_scale", {.grid = {16},
                                             .block = {128},
                                             .arguments = {"buf:1048576:f32", "buf:1048576:undef",
                                                           "buf:64:f32", "i32:16384"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("start at blockIdx.y * blockDim.x + threadIdx.x"));
  EXPECT_THAT(found->hint, HasSubstr("gridDim.y = 9"));
  EXPECT_THAT(found->hint, Not(HasSubstr("blockIdx.x * blockDim.x")));
  EXPECT_LT(found->speedup, 132.0 / 16);
}

// blockIdx.x selects the row, and a loop strides by gridDim.y * blockDim.x: y is free to grow.
TEST(LaunchAdvice, AGridStrideMayBeAlongAnotherAxisThanTheThreads) {
  const auto found = ask(
      "block-increase",
      facts("slices_of_row", {.grid = {40},
                              .block = {256},
                              .arguments = {"buf:41943040:int:10", "buf:160:zero", "i32:262144"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("40 blocks for 132 SMs"));
  EXPECT_THAT(found->hint, HasSubstr("the grid size is free"));
  EXPECT_THAT(found->hint, HasSubstr("(gridDim.y = "));
}

// Each thread has n / threads elements: it is no grid-stride loop, and adds nothing up.
TEST(LaunchAdvice, AGridSizeThatDividesTheWorkIsNoStride) {
  const auto found = ask(
      "block-increase",
      facts("parts_of_grid", {.grid = {8},
                              .block = {128},
                              .arguments = {"buf:1048576:f32", "buf:4096:undef", "i32:262144"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("A larger grid changes the results"));
  EXPECT_THAT(found->hint, Not(HasSubstr("grid-stride loop and stores")));
  EXPECT_LE(found->speedup, 132.0 / 8);
}

TEST(LaunchAdvice, LoopsThatNeedAWholeSumBetweenThemTakeTwoLaunches) {
  const auto found =
      ask("block-increase",
          facts("centre",
                {.grid = {16}, .block = {256}, .arguments = {"buf:4194304:f32", "i32:65536"}}));
  ASSERT_TRUE(found);
  EXPECT_GT(found->speedup, 1.5);
  EXPECT_THAT(found->hint, HasSubstr("second kernel"));
  EXPECT_THAT(found->hint, HasSubstr("with the same step"));
  EXPECT_THAT(found->hint, Not(HasSubstr("burin predict")));
}

// More warps on an SM share its L1 cache.
TEST(LaunchAdvice, WarpsWhoseRowsFillTheCacheAreNotDoubled) {
  const auto found = ask(
      "thread-increase",
      facts("row_softmax", {.grid = {8448},
                            .block = {32},
                            .arguments = {"buf:34603008:f32", "buf:34603008:undef", "i32:1024"}}));
  EXPECT_LT(found ? found->speedup : 1, 1.1);
}

// Each of 500 steps would have to synchronise the grid.
TEST(LaunchAdvice, StepsInTimeAreNotSplitOverBlocks) {
  EXPECT_FALSE(ask("block-increase",
                   facts("time_steps",
                         {.grid = {1}, .block = {256}, .arguments = {"buf:1024:f32", "i32:500"}})));
}

TEST(LaunchAdvice, OneThreadThatNeedsItsOwnResultsIsLeftAlone) {
  EXPECT_FALSE(ask(
      "thread-increase",
      facts("running_sum", {.grid = {1},
                            .block = {1},
                            .arguments = {"buf:65536:int:10", "buf:65536:undef", "i32:16384"}})));
}

TEST(LaunchAdvice, AWarpTakesTheRowOfABlockOfOneThread) {
  const auto found =
      ask("thread-increase",
          facts("row_sum", {.grid = {65536},
                            .block = {1},
                            .arguments = {"buf:16777216:f32", "buf:262144:undef", "i32:64"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("Let a warp do the work of each block"));
  EXPECT_THAT(found->hint, HasSubstr("__shfl_down_sync"));
  EXPECT_THAT(found->hint, HasSubstr("--block 32,8,1"));
}

// The result depends on blockDim, which several blocks in one keep.
TEST(LaunchAdvice, BlocksBecomeLayersOfALargerBlock) {
  const auto found = ask(
      "thread-increase",
      facts("tagged",
            {.grid = {131072}, .block = {32}, .arguments = {"buf:16777216:undef", "i32:4194304"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint,
              HasSubstr("replace blockIdx.x by blockIdx.x * blockDim.y + threadIdx.y"));
  EXPECT_THAT(found->hint, HasSubstr("a warp for each"));
  EXPECT_THAT(found->hint, HasSubstr("launch_facts.cu:22"));  // not the line of the position
}

// blockIdx.x * 20 also stands alone: blockDim there would give other results.
TEST(LaunchAdvice, ANumberThatIsNotOnlyTheBlockSizeStays) {
  const auto found = ask("thread-increase",
                         facts("twenty", {.grid = {65536},
                                          .block = {20},
                                          .arguments = {"buf:5242880:f32", "buf:5242880:undef"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("launch dim3(20, "));
  EXPECT_THAT(found->hint, Not(HasSubstr("use blockDim")));
}

// 20 blocks of which the last is partial: SMs without a block are no imbalance of the blocks.
TEST(LaunchAdvice, IdleSmsAreNoUnequalWork) {
  EXPECT_FALSE(
      ask("sm-balance", Advised("launch_shapes", "guarded_line",
                                {.grid = {20},
                                 .block = {1024},
                                 .arguments = {"buf:80000:f32", "buf:80000:undef", "i32:20000"}})));
}

// tests/data/emulate/few_warps.cu: every SM has a block, but few warps.
TEST(LaunchAdvice, AGridStrideLoopGetsMoreBlocksThanSms) {
  const auto shape = [](unsigned blocks) {
    return timing::TimedLaunch::Shape{.grid = {blocks},
                                      .block = {128},
                                      .arguments = {"buf:32M:f32", "buf:32M:f32", "i32:8388608"}};
  };
  const auto found = ask("block-increase", Advised("few_warps.fatbin", "damp", shape(132)));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("4 of 64 warps per SM"));
  EXPECT_THAT(found->hint, HasSubstr("the grid size is free"));
  EXPECT_GT(found->speedup, 3);
  EXPECT_FALSE(ask("block-increase", Advised("few_warps.fatbin", "damp", shape(132 * 16))));
}

TEST(LaunchAdvice, ALongLoopIsSplitWhereEverySmHasFewWarps) {
  const auto found = ask(
      "block-increase",
      Advised(
          "few_warps.fatbin", "nearest_later",
          {.grid = {128}, .block = {128}, .arguments = {"buf:128K:f32", "buf:8:u8", "i32:16384"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("Split the iterations of the loop at few_warps.cu:39-42"));
  EXPECT_GT(found->speedup, 4);
}

// An iteration that reads what an earlier one has stored cannot begin elsewhere.
TEST(LaunchAdvice, ALoopThatReadsItsOwnResultsIsNotSplit) {
  const auto found =
      ask("block-increase",
          Advised("few_warps.fatbin", "smooth_lines",
                  {.grid = {128},
                   .block = {32},
                   .arguments = {"buf:4M:f32", "buf:4M:undef", "i32:4096", "i32:256"}}));
  EXPECT_THAT(found ? found->hint : "", Not(HasSubstr("equal parts of the iterations")));
}

// The compare-and-swap loop of an addition is no race, and no work that warps could share.
TEST(LaunchAdvice, AtomicAdditionsOfFloatsInSharedMemoryAreNoRace) {
  const Advised launch(
      "few_warps.fatbin", "add_up",
      {.grid = {256}, .block = {256}, .arguments = {"buf:256K:f32", "buf:2K:undef"}});
  EXPECT_TRUE(launch.study().base().faults.empty());
  const auto found = ask("warp-balance", launch);
  EXPECT_THAT(found ? found->text : "", Not(HasSubstr("One warp executes")));
}

TEST(LaunchAdvice, BlocksWhoseLoopsStepByBlockDimGetMoreThreads) {
  const auto with = [](unsigned threads) {
    return ask(
        "thread-increase",
        Advised("few_warps.fatbin", "carry_rows",
                {.grid = {64},
                 .block = {threads},
                 .shared_bytes = 16384,
                 .arguments = {"buf:12800:int:40", "buf:524288:undef", "i32:50", "i32:2048"}}));
  };
  const auto found = with(128);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("4 of 64 warps on an SM"));
  EXPECT_THAT(found->hint, HasSubstr("in the same grid"));
  EXPECT_THAT(found->hint, HasSubstr("the threads of a block synchronise"));
  EXPECT_GT(found->speedup, 1.5);
  EXPECT_FALSE(with(1024));
}

}  // namespace
}  // namespace burin::advise
