// Is a launch whose shape wastes the GPU recognised: too few or too many blocks on an SM, uneven
// ones, launches that are too short or that hand data on?
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "asked.h"

namespace burin::advise {
namespace {

using testing::HasSubstr;

Advised chain(std::uint32_t blocks, std::uint32_t threads) {
  return Advised("bound_arithmetic", "logistic",
                 {.grid = {blocks},
                  .block = {threads},
                  .arguments = {"buf:4194304:undef", "f32:0.75", "i32:1000"}});
}

TEST(TailEffect, AFewBlocksMoreThanSmsAreFound) {
  const auto found = ask("tail-effect", chain(140, 1024));
  ASSERT_TRUE(found);
  // 2 blocks on the fullest SM of 1.06 in the mean; of quarters 5, of 4.24.
  EXPECT_NEAR(found->speedup_paper, 2 / (140.0 / 132) / (5 / (560.0 / 132)), 0.1);
  EXPECT_THAT(found->text, HasSubstr("8 SMs execute 2 blocks"));
}

TEST(TailEffect, EvenGridsAreLeftAlone) {
  EXPECT_FALSE(ask("tail-effect", chain(264, 256)));
  EXPECT_FALSE(ask("tail-effect", chain(100, 256)));   // block-increase's
  EXPECT_FALSE(ask("tail-effect", chain(1500, 256)));  // one more or less does not matter
}

TEST(OccupancyIncrease, SharedMemoryThatNobodyTouchesIsFound) {
  const Advised launch("reduce", "sum_shared",
                       {.grid = {2640},
                        .block = {128},
                        .shared_bytes = 49152,
                        .arguments = {"buf:13516800:f32", "buf:10560:undef", "i32:3379200"}});
  const auto found = ask("occupancy-increase", launch);
  ASSERT_TRUE(found);
  EXPECT_GT(*found->speedup_emulated, 1.1);
  EXPECT_THAT(found->hint, HasSubstr("touches only 512"));
}

TEST(OccupancyIncrease, FullSmsAreLeftAlone) {
  EXPECT_FALSE(ask("occupancy-increase", Advised("saxpy/large")));
  EXPECT_FALSE(ask("occupancy-increase", chain(132, 256)));  // there are no more blocks
}

TEST(OccupancyDecrease, StreamsHaveNothingToKeep) {
  const auto found = ask("occupancy-decrease", Advised("saxpy/large"));
  EXPECT_LT(found ? found->speedup : 1, 1.05);
}

TEST(SmBalance, RowsOfATriangleAreFound) {
  const auto found = ask("sm-balance", Advised("triangle_rows/large"));
  ASSERT_TRUE(found);
  EXPECT_GT(found->speedup, 1.01);
}

TEST(SmBalance, EqualBlocksAreLeftAlone) {
  EXPECT_FALSE(ask("sm-balance", Advised("saxpy/large")));
}

TEST(BlockIncrease, AKernelThatAsksForItsBlockIsLaunchedInSmallerOnes) {
  const Advised launch("attract_bodies", "attract_bodies",
                       {.grid = {4},
                        .block = {1024},
                        .arguments = {"buf:65536:f32", "buf:65536:undef", "i32:4096"}});
  const auto found = ask("block-increase", launch);
  ASSERT_TRUE(found);
  // Its blocks share a tile of their own size; the units of four SMs bound nothing.
  EXPECT_GT(found->speedup, 2);
  EXPECT_THAT(found->hint, HasSubstr("instead of 1024, after checking"));
}

TEST(BlockIncrease, OneBlockPerSmWhereEachLoadsATable) {
  const Advised launch("grade_colours", "grade_colours",
                       {.grid = {80},
                        .block = {512},
                        .arguments = {"buf:1081344:f16", "buf:78608:f32", "buf:1081344:undef",
                                      "i64:135168", "f32:1.1"}});
  const auto found = ask("block-increase", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("launch 132 blocks"));  // an SM has room for three
}

TEST(BlockIncrease, EachSmGetsAsManyBlocks) {
  const Advised launch("assign_clusters", "assign_clusters",
                       {.grid = {96},
                        .block = {512},
                        .arguments = {"buf:33554432:f32", "buf:512:f32", "buf:8388608:undef",
                                      "buf:8388608:undef", "i32:2097152"}});
  const auto found = ask("block-increase", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("launch 528 blocks"));  // four for each of 132 SMs
}

// Other blocks would do the whole loop again, each for itself.
TEST(BlockIncrease, ALoopOfOneBlockIsSplitOverTheGrid) {
  const Advised launch("launch_shapes", "one_block_scale",
                       {.grid = {1},
                        .block = {1024},
                        .arguments = {"buf:4000000:f32", "buf:4000000:undef", "i32:1000000"}});
  const Advice advice = launch.advice();
  ASSERT_FALSE(advice.findings.empty());
  const Finding& first = advice.findings[0];
  EXPECT_EQ(first.rule, "block-increase");
  EXPECT_GT(first.speedup, 20);
  EXPECT_FALSE(first.speedup_emulated);
  EXPECT_THAT(first.hint, HasSubstr("Split the loop at launch_shapes.cu:5 over the grid"));
}

// As many sums as threads: more threads would store beyond the buffer.
TEST(BlockIncrease, ResultsPerThreadAreNamed) {
  const Advised launch("launch_shapes", "strided_sums",
                       {.grid = {16},
                        .block = {256},
                        .arguments = {"buf:4000000:f32", "buf:16384:undef", "i32:1000000"}});
  const auto found = ask("block-increase", launch);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->speedup_emulated);
  EXPECT_THAT(found->hint, HasSubstr("room for the results of as many threads"));
}

TEST(BlockIncrease, SmallerBlocksThatAreProvedAreLaunched) {
  const Advised launch("launch_shapes", "guarded_line",
                       {.grid = {64},
                        .block = {1024},
                        .arguments = {"buf:262144:f32", "buf:262144:undef", "i32:65536"}});
  const auto found = ask("block-increase", launch);
  ASSERT_TRUE(found);
  EXPECT_TRUE(found->speedup_emulated);
  EXPECT_THAT(found->hint, HasSubstr("Launch blocks of"));
}

TEST(BlockIncrease, WhatFixesTheBlockIsNamed) {
  const Advised launch(
      "launch_shapes", "tile_of_64",
      {.grid = {16}, .block = {64}, .arguments = {"buf:4096:f32", "buf:4096:undef", "i32:1000"}});
  const auto found = ask("block-increase", launch);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->speedup_emulated);
  EXPECT_THAT(found->hint, HasSubstr("synchronise at launch_shapes.cu:19"));
  EXPECT_THAT(found->hint, testing::Not(HasSubstr("Launch blocks of")));
}

// Larger blocks as the code is would skip three quarters of the data.
TEST(ThreadIncrease, BlocksThatTheCodeFixesAreNotLaunchedLarger) {
  const Advised launch("launch_shapes", "strips_of_32",
                       {.grid = {32768},
                        .block = {32},
                        .arguments = {"buf:4194304:f32", "buf:4194304:undef", "i32:1048576"}});
  const auto found = ask("thread-increase", launch);
  ASSERT_TRUE(found);
  EXPECT_FALSE(found->speedup_emulated);
  // Block dispatch limits it. With blocks of 256 threads it is predicted to be 5.2 times as fast.
  EXPECT_GT(found->speedup, 3.5);
  EXPECT_LT(found->speedup, 5.2);
  EXPECT_THAT(found->hint, HasSubstr("blockIdx.x * 32 at launch_shapes.cu:10"));
  EXPECT_THAT(found->hint, HasSubstr("use blockDim.x there first"));
}

TEST(ThreadIncrease, BlocksGrowAlongEitherSide) {
  const Advised launch(
      "register_frames", "register_frames",
      {.grid = {16, 512},
       .block = {32},
       .arguments = {"buf:1048576:f32", "buf:1048576:f32", "buf:2097152:f32", "buf:1048576:undef",
                     "buf:1048576:undef", "i32:512", "i32:512", "f32:16"}});
  const auto found = ask("thread-increase", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("(32,"));  // rows that lie below each other share lines
}

// Its rows are blocks': threads along y would all do the same row.
TEST(ThreadIncrease, BlocksDoNotGrowAlongASideThatTheKernelDoesNotAskFor) {
  const Advised launch(
      "lift_depths", "lift_depths",
      {.grid = {16, 512},
       .block = {32},
       .arguments = {"buf:524288:u8", "buf:262144:u8", "buf:4194304:zero", "buf:1048576:zero",
                     "i32:512", "i32:512", "hex:b4a2113a00008044000080446f12833a00007042"}});
  const auto found = ask("thread-increase", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr(",1,1)"));
}

TEST(LaunchOverhead, AKernelWithNothingToDoIsFound) {
  const auto found = ask("launch-overhead", Advised("copy/tiny"));
  ASSERT_TRUE(found);
  EXPECT_GT(found->speedup, 1.3);
}

TEST(LaunchOverhead, LongKernelsAreLeftAlone) {
  EXPECT_FALSE(ask("launch-overhead", chain(1320, 256)));
}

// Three launches in a row.
LaunchSequence row(double time_us, double gap_us) {
  LaunchSequence sequence;
  for (int k = 0; k < 3; ++k) {
    sequence.launches.push_back({.kernel = "step",
                                 .grid = {132},
                                 .block = {256},
                                 .start_us = k * (time_us + gap_us),
                                 .time_us = time_us});
  }
  sequence.at = 1;
  return sequence;
}

TEST(LaunchOverhead, GapsOfACaptureCount) {
  const Advised launch("saxpy/large");
  Case c = launch.launch_case();
  const LaunchSequence gaps = row(4, 20);
  c.neighbours = &gaps;
  const auto found = ask("launch-overhead", c);
  ASSERT_TRUE(found);
  EXPECT_GT(found->speedup, 3);
  // So short a gap is the recorder's: without it the launches stand in the queue.
  const LaunchSequence recorded = row(4, 6);
  c.neighbours = &recorded;
  const auto less = ask("launch-overhead", c);
  ASSERT_TRUE(less);
  EXPECT_NEAR(less->speedup, 5.1 / 3.46, 0.02);
  const LaunchSequence dense = row(400, 1);
  c.neighbours = &dense;
  EXPECT_FALSE(ask("launch-overhead", c));
}

LaunchSequence handed_on(std::uint64_t read_at) {
  LaunchSequence sequence = row(20, 1);
  sequence.launches[0].buffers = {{0x1000, 1 << 24}, {0x10000000, 1 << 24}};
  sequence.launches[0].written = {false, true};
  sequence.launches[1].buffers = {{read_at, 1 << 24}, {0x20000000, 1 << 24}};
  sequence.launches[1].written = {false, true};
  return sequence;
}

TEST(KernelFusion, DataThatIsHandedOnIsFound) {
  const Advised launch("saxpy/large");
  Case c = launch.launch_case();
  c.study = nullptr;  // what binds it is not known then
  const LaunchSequence sequence = handed_on(0x10000000);
  EXPECT_EQ(passed(sequence.launches[0], sequence.launches[1]), 1u << 24);
  c.neighbours = &sequence;
  const auto found = ask("kernel-fusion", c);
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->speedup, 2, 0.01);  // each moves two buffers, together two of the four
}

TEST(KernelFusion, StrangersAreLeftAlone) {
  const Advised launch("saxpy/large");
  Case c = launch.launch_case();
  c.study = nullptr;
  const LaunchSequence sequence = handed_on(0x40000000);
  c.neighbours = &sequence;
  EXPECT_FALSE(ask("kernel-fusion", c));
  c.neighbours = nullptr;
  EXPECT_FALSE(ask("kernel-fusion", c));
}

}  // namespace
}  // namespace burin::advise
