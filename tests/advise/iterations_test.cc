// Is advice on loops true to what one iteration needs of another, and is advice on tiles true to
// who has them? tests/data/emulate/iterations.cu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "asked.h"
#include "blamed.h"

namespace burin::advise {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Advised iterations(const std::string& kernel, const timing::TimedLaunch::Shape& shape) {
  return Advised("iterations.fatbin", kernel, shape);
}

// A load of each of two arrays is one iteration, not two.
TEST(Iterations, LoadsOfTwoArraysAreNoCopies) {
  const auto found = ask("loop-unrolling",
                         iterations("weighted", {.grid = {132},
                                                 .block = {64},
                                                 .arguments = {"buf:8650752:f32", "buf:65536:f32",
                                                               "buf:33792:undef", "i32:16384"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, AllOf(HasSubstr("It has 2 loads per iteration"),
                                 HasSubstr("Its step is not a constant"), Not(HasSubstr("store"))));
}

TEST(Iterations, RecurrencesHaveNoIndependentAccumulators) {
  EXPECT_FALSE(ask(
      "loop-unrolling",
      iterations("walk",
                 {.grid = {132}, .block = {128}, .arguments = {"buf:67584:undef", "f32:0.9"}})));
}

const timing::TimedLaunch::Shape kDistances{
    .grid = {1024},
    .block = {256},
    .arguments = {"buf:160:int:4", "buf:41943040:int:4", "buf:1048576:undef", "i32:40"}};

// The counter passes through a move: its step is 1 all the same.
TEST(Iterations, ACounterMayBeMoved) {
  const auto found = ask("loop-unrolling", iterations("distances", kDistances));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint,
              AllOf(HasSubstr("#pragma unroll"), Not(HasSubstr("step is not a constant"))));
}

// Four rows of 40 numbers, and as many letters, do not fit into a thread's registers; two leave one
// block on an SM.
TEST(Iterations, CoarserThreadsKeepTheirValuesInRegisters) {
  EXPECT_FALSE(ask("thread-coarsening", iterations("distances", kDistances)));
}

TEST(Iterations, LoadsStayAfterTheTestThatDecidesOnThem) {
  const auto found =
      ask("code-reordering",
          iterations("probes", {.grid = {4096},
                                .block = {256},
                                .arguments = {"buf:4194304:u8", "buf:67108864:u8",
                                              "buf:4194304:undef", "i32:16777215"}}));
  EXPECT_LT(found ? found->speedup : 1, 1.02);
}

// An addition that waits for a load: for its value, or only until it may overwrite the address.
bool reorders(bool reads_value) {
  test::WrittenProgram p;
  for (int k = 0; k < 20; ++k) p.op("FADD").reads(test::R(20)).writes(test::R(20)).stall(4);
  p.op("LDG").at(test::R(4), test::R(60), test::R(62)).writes(test::R(0)).sets(0).frees(0);
  p.op("IADD3").reads(test::R(reads_value ? 0 : 4)).writes(test::R(4)).waits(1);
  p.op("FADD").reads(test::R(0)).writes(test::R(1));
  p.op("EXIT");
  test::Blamed b(p);
  for (std::uint32_t i = 0; i < p.here(); ++i) b.issued(i, 10);
  b.stalled(21, launch::Stall::kLongScoreboard, 200);
  const BlamedProfile blamed = b.blame();
  EXPECT_EQ(blamed.stalls.front().cause, 20u);
  return ask("code-reordering",
             Case{.kernel = b.kernel(), .machine = timing::h200(), .blamed = blamed})
      .has_value();
}

TEST(Iterations, OverwritingAnAddressUsesNoValue) {
  EXPECT_TRUE(reorders(true));
  EXPECT_FALSE(reorders(false));
}

TEST(Iterations, MergedBlocksShareNoTilesOfTheirOwn) {
  EXPECT_FALSE(ask("thread-coarsening",
                   iterations("ranks", {.grid = {4096},
                                        .block = {256},
                                        .arguments = {"buf:4194304:f32", "buf:4194304:undef"}})));
}

TEST(Iterations, TilesInRegistersAreLeftAlone) {
  const auto found =
      ask("thread-coarsening",
          iterations("tiled_product", {.grid = {16, 16},
                                       .block = {16, 16},
                                       .arguments = {"buf:4194304:f32", "buf:4194304:f32",
                                                     "buf:4194304:undef", "i32:1024"}}));
  EXPECT_THAT(found ? found->text : "", Not(HasSubstr("two values for one")));
}

TEST(Iterations, WarpsThatOnlyFillABufferAlreadyRunAhead) {
  EXPECT_FALSE(ask("async-copy",
                   iterations("fill_beside", {.grid = {1056},
                                              .block = {96},
                                              .arguments = {"buf:17301504:f32",
                                                            "buf:17301504:undef", "i32:64"}})));
}

const timing::TimedLaunch::Shape kTiles{
    .grid = {132}, .block = {128}, .arguments = {"buf:4325376:f32", "buf:67584:undef", "i32:64"}};

TEST(Iterations, TilesThatAreLoadedAheadNeedNoAsyncCopy) {
  EXPECT_FALSE(ask("async-copy", iterations("tiles_ahead", kTiles)));
  EXPECT_FALSE(ask("async-copy", iterations("smooth_tiles", kTiles)));
}

}  // namespace
}  // namespace burin::advise
