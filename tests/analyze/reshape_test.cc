// Is a launch given another block shape only where its results stay the same, bit for bit?
#include "analyze/reshape/reshape.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <span>
#include <string>
#include <vector>

#include "emulate/run.h"
#include "timing/timed_launch.h"

namespace burin::analyze {
namespace {

using testing::HasSubstr;
using Shape = timing::TimedLaunch::Shape;

const Shape kLine{
    .grid = {8}, .block = {128}, .arguments = {"buf:4000:f32", "buf:4000:undef", "i32:1000"}};

// The launch, with dependences.
struct Shaped {
  Shaped(const std::string& name, const Shape& shape)
      : timed("launch_shapes", name, shape),
        kernel(*read::build_kernel(*timed.kernel().image, *timed.kernel().function)),
        reshape(reshape_proof(kernel, timed.launch())) {}

  Result<launch::Dims> grid(launch::Dims block) const {
    return reshaped_grid(reshape, kernel, timed.launch(), block);
  }
  // What all buffers hold after the launch in this shape.
  std::vector<std::vector<std::uint8_t>> contents(launch::Dims grid, launch::Dims block) const {
    launch::Launch launch = timed.launch();
    launch.grid = grid;
    launch.block = block;
    const Result<emulate::Run> run = emulate::emulate(kernel, launch, {});
    EXPECT_TRUE(run && !run->stopped);
    std::vector<std::vector<std::uint8_t>> all;
    for (std::size_t a = 0; a < launch.arguments.size(); ++a) {
      if (launch.arguments[a].buffer() == nullptr) continue;
      std::vector<std::uint8_t>& buffer = all.emplace_back();
      const auto append = [&](std::span<const std::uint8_t> bytes, bool) -> Result<void> {
        buffer.insert(buffer.end(), bytes.begin(), bytes.end());
        return {};
      };
      EXPECT_TRUE(run->memory->for_each_chunk(run->buffers[a], append));
    }
    return all;
  }
  // In every one of the blocks: allowed, and the same results.
  void expect_same(const std::vector<launch::Dims>& blocks) const {
    const launch::Launch& own = timed.launch();
    const auto expected = contents(own.grid, own.block);
    for (const launch::Dims& block : blocks) {
      const Result<launch::Dims> other = grid(block);
      ASSERT_TRUE(other) << other.error().message;
      EXPECT_EQ(contents(*other, block), expected) << launch::to_string(block);
    }
  }
  void expect_fixed(ShapeReason reason, const std::string& text) const {
    EXPECT_EQ(reshape.axes[0].freedom, Freedom::kFixed);
    EXPECT_EQ(reshape.axes[0].reason, reason) << name(reshape.axes[0].reason);
    EXPECT_THAT(reshape.axes[0].text, HasSubstr(text));
    const Result<launch::Dims> other = grid({timed.launch().block.x * 2});
    ASSERT_FALSE(other);
    EXPECT_THAT(other.error().message, HasSubstr(text));
  }

  timing::TimedLaunch timed;
  read::Kernel kernel;
  Reshape reshape;
};

TEST(Reshape, ABoundsCheckLetsBlocksHaveAnySize) {
  const Shaped line("guarded_line", kLine);
  EXPECT_EQ(line.reshape.axes[0].freedom, Freedom::kAny);
  EXPECT_EQ(*line.grid({96}), (launch::Dims{11}));
  line.expect_same({{1}, {7}, {32}, {96}, {100}, {256}, {1000}, {1024}});
  // Along y it has no bound: all threads would do the work again.
  EXPECT_FALSE(line.grid({64, 2}));
  EXPECT_EQ(line.reshape.axes[1].reason, ShapeReason::kExtraThreads);
}

TEST(Reshape, InTwoDimensions) {
  const Shaped plane("guarded_plane",
                     {.grid = {3, 7},
                      .block = {16, 4},
                      .arguments = {"buf:4428:f32", "buf:4428:undef", "i32:41", "i32:27"}});
  EXPECT_TRUE(plane.reshape.free(0) && plane.reshape.free(1) && !plane.reshape.free(2));
  plane.expect_same({{1, 1}, {64, 1}, {1, 64}, {5, 9}, {32, 8}, {8, 32}, {48, 3}, {32, 32}});
}

TEST(Reshape, PositionsIn64Bits) {
  Shape wide = kLine;
  wide.arguments[2] = "u64:1000";
  Shaped("wide_line", wide).expect_same({{7}, {32}, {96}, {1024}});
}

// The guard stops nobody if the arguments say that there are more elements than threads.
TEST(Reshape, TheArgumentsDecideWhetherTheBoundStopsAdditionalThreads) {
  Shape more = kLine;
  more.arguments[2] = "i32:1030";
  const Shaped line("guarded_line", more);
  EXPECT_EQ(line.reshape.axes[0].freedom, Freedom::kDivisors);
  EXPECT_TRUE(line.grid({256}));
  EXPECT_FALSE(line.grid({96}));
}

TEST(Reshape, WithoutABoundTheThreadsStayAsMany) {
  const Shaped line("unguarded_line",
                    {.grid = {10}, .block = {96}, .arguments = {"buf:3840:f32", "buf:3840:undef"}});
  EXPECT_EQ(line.reshape.axes[0].freedom, Freedom::kDivisors);
  line.expect_same({{1}, {32}, {60}, {192}, {480}, {960}});
  EXPECT_THAT(line.grid({128}).error().message, HasSubstr("960 threads in x do not divide"));
}

// Each thread adds up other elements if there are more of them.
TEST(Reshape, SumsOfAGridStrideLoopKeepTheirThreads) {
  const Shaped sums(
      "strided_sums",
      {.grid = {6}, .block = {64}, .arguments = {"buf:20000:f32", "buf:1536:undef", "i32:5000"}});
  EXPECT_EQ(sums.reshape.axes[0].reason, ShapeReason::kThreadCount);
  sums.expect_same({{32}, {96}, {128}, {384}});
  EXPECT_FALSE(sums.grid({256}));
}

TEST(Reshape, WarpsStayWhole) {
  const Shaped sums(
      "shuffled_sums",
      {.grid = {8}, .block = {128}, .arguments = {"buf:4000:f32", "buf:128:undef", "i32:1000"}});
  EXPECT_EQ(sums.reshape.axes[0].multiple, 32u);
  sums.expect_same({{32}, {64}, {256}, {512}, {1024}});
  EXPECT_THAT(sums.grid({16}).error().message, HasSubstr("multiple of 32"));
  // Lanes of a plane are others in other shapes.
  const Shaped plane(
      "shuffled_sums",
      {.grid = {8}, .block = {16, 8}, .arguments = {"buf:4000:f32", "buf:128:undef", "i32:1000"}});
  EXPECT_TRUE(plane.reshape.fixed());
}

TEST(Reshape, WhatFixesTheBlockIsNamedWithItsLine) {
  Shaped("strips_of_32", {.grid = {32}, .block = {32}, .arguments = kLine.arguments})
      .expect_fixed(ShapeReason::kScaledBlock,
                    "blockIdx.x * 32 at launch_shapes.cu:10 fixes blocks of 32 threads in x");
  Shaped("tile_of_64", {.grid = {16}, .block = {64}, .arguments = kLine.arguments})
      .expect_fixed(ShapeReason::kBarrier, "synchronise at launch_shapes.cu:19");
  Shaped("one_block_scale", {.grid = {1}, .block = {256}, .arguments = kLine.arguments})
      .expect_fixed(ShapeReason::kThreadIndex, "threadIdx.x is used without its block");
}

TEST(Reshape, IntegerAtomicsCommuteAndFloatOnesDoNot) {
  Shape digits = kLine;
  digits.arguments = {"buf:4000:int:1000", "buf:64:zero", "i32:1000"};
  Shaped("counted_digits", digits).expect_same({{7}, {32}, {96}, {1024}});
  Shaped("summed_digits", digits).expect_fixed(ShapeReason::kOrderedAtomic, "order of the threads");
}

TEST(Reshape, AThreadMayChangeItsOwnElementOnly) {
  const Shape place{.grid = {8}, .block = {128}, .arguments = {"buf:4000:f32", "i32:1000"}};
  Shaped("own_element", place).expect_same({{7}, {32}, {96}, {1024}});
  Shaped("neighbours_element", place)
      .expect_fixed(ShapeReason::kMemoryOrder, "may read what other threads write");
}

TEST(Reshape, NoShapeIsBeyondTheLimitsOfTheLaunch) {
  const Shaped line("guarded_line", kLine);
  EXPECT_THAT(line.grid({2048}).error().message, HasSubstr("1024"));
  EXPECT_FALSE(line.grid({0}));
}

}  // namespace
}  // namespace burin::analyze
