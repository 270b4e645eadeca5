// Is it known which values of threads and blocks may be merged, by which operation, and which steps
// depend on one another? tests/data/emulate/merges.cu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "asked.h"

namespace burin::advise {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Advised merges(const std::string& kernel, const timing::TimedLaunch::Shape& shape) {
  return Advised("merges.fatbin", kernel, shape);
}

Advised groups(const std::string& kernel, const std::vector<std::string>& outputs,
               const std::string& group = "int:300") {
  timing::TimedLaunch::Shape shape{.grid = {1056},
                                   .block = {256},
                                   .arguments = {"buf:8388608:" + group, "buf:8388608:int:1000"}};
  shape.arguments.insert(shape.arguments.end(), outputs.begin(), outputs.end());
  shape.arguments.emplace_back("i32:2097152");
  return merges(kernel, shape);
}

TEST(Merges, AMinimumStartsFromTheLargestValue) {
  const auto found = ask("atomic-contention", groups("group_lows", {"buf:1200:zero"}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, AllOf(HasSubstr("set 300 words there (as many as the arrays have) to "
                                           "the largest value of their type"),
                                 HasSubstr("update these with atomicMin"),
                                 HasSubstr("once, with atomicMin"), Not(HasSubstr("atomicAdd"))));
}

TEST(Merges, CommonBitsStartFromAll) {
  const auto found = ask("atomic-contention", groups("group_common_bits", {"buf:1200:zero"}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, AllOf(HasSubstr("to ~0,"), HasSubstr("atomicAnd")));
}

TEST(Merges, EachOperationKeepsItsOwn) {
  const auto found =
      ask("atomic-contention", groups("group_peaks", {"buf:1200:zero", "buf:1200:zero"}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint,
              AllOf(HasSubstr("set 600 words"), HasSubstr("to 0 for atomicAdd (merges.cu:9)"),
                    HasSubstr("to the smallest value of their type for atomicMax (merges.cu:8)"),
                    HasSubstr("with its own operation")));
}

TEST(Merges, ExchangesAreNotMerged) {
  EXPECT_FALSE(ask("atomic-contention", groups("group_last", {"buf:4:zero"}, "int:1")));
}

// The old value of a maximum is no rank.
TEST(Merges, OldValuesAreHandedOutForSumsAlone) {
  EXPECT_FALSE(ask("atomic-contention",
                   groups("group_records", {"buf:4:zero", "buf:8388608:undef"}, "int:1")));
}

TEST(Merges, WordsOfSmallBuffersAreCounted) {
  const auto found = ask(
      "atomic-contention",
      merges("columns_and_total",
             {.grid = {1056},
              .block = {256},
              .arguments = {"buf:8388608:int:300", "buf:192:zero", "buf:4:zero", "i32:2097152"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("update 49 words"));  // not a sector for the one word
  EXPECT_THAT(found->hint, HasSubstr("to 0 for atomicOr"));
}

// What a thread keeps in an array of its own, no other thread can update.
TEST(Merges, ArraysOfAThreadAreNotCollected) {
  EXPECT_FALSE(ask("divergence",
                   merges("keep_smallest",
                          {.grid = {528},
                           .block = {128},
                           .arguments = {"buf:67108864:f32", "buf:1622016:undef", "i32:248"}})));
}

TEST(Merges, ABlockOfOneWarpHasNoWarpsToSkipCode) {
  EXPECT_FALSE(ask("divergence", merges("back_substitution",
                                        {.grid = {4096},
                                         .block = {32},
                                         .arguments = {"buf:16777216:f32", "buf:524288:undef"}})));
}

// As many steps as barriers: to divide the bar would take as many launches.
Advised bar(const std::string& kernel, const std::string& steps) {
  return merges(kernel, {.grid = {1},
                         .block = {1024},
                         .arguments = {"buf:65536:f32", "buf:65536:zero", "i32:16384", steps}});
}
TEST(Merges, SweepsOverGlobalMemoryWaitForEachOther) {
  const auto found = ask("block-increase", bar("cool_bar", "i32:20"));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, AllOf(HasSubstr("may read what others stored"), HasSubstr("in 20 steps"),
                                 Not(HasSubstr("Divide the work"))));
}

TEST(Merges, AGridStrideWithinASweepDoesNotFreeTheGrid) {
  EXPECT_FALSE(ask("block-increase", bar("cool_bar_of_grid", "i32:20")));
}

// Nothing of it is in shared memory, and each step needs its barrier.
TEST(Merges, SweepsOverGlobalMemoryHaveNoSecondBuffer) {
  EXPECT_FALSE(ask("warp-balance", bar("cool_bar", "i32:20")));
}

TEST(Merges, TwoLanesOfManyThatDifferAreNamed) {
  const auto found = ask("branch-elimination", bar("cool_bar", "i32:20"));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text,
              AllOf(HasSubstr("for 99.99 % of the lanes"), Not(HasSubstr("every time"))));
  EXPECT_THAT(found->hint, HasSubstr("cannot just be removed"));
}

// No step stays within a warp after the fifth: a warp's values are scanned by shuffles, and then
// those of the warps.
TEST(Merges, StepsAcrossWarpsAreAScan) {
  const auto found =
      ask("warp-balance",
          merges("running_maximum", {.grid = {16384},
                                     .block = {256},
                                     .arguments = {"buf:16777216:int:100", "buf:16777216:undef"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint,
              AllOf(HasSubstr("__shfl_up_sync"), HasSubstr("v = max(v, other)"),
                    HasSubstr("array of 8 words"), Not(HasSubstr("__shfl_down_sync"))));
}

// A loop with a single barrier has nothing to gain from a second buffer.
TEST(Merges, HalvingStepsBecomeShuffles) {
  const auto found = ask(
      "warp-balance", merges("block_peak", {.grid = {4096},
                                            .block = {1024},
                                            .arguments = {"buf:16777216:f32", "buf:16384:undef"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, AllOf(HasSubstr("v = max(v, __shfl_down_sync(0xffffffff, v, d))"),
                                 Not(HasSubstr("two buffers"))));
}

// The largest sum of a block's elements says nothing of blocks with more elements.
TEST(Merges, SumsThatAreComparedKeepTheirElements) {
  const auto found = ask(
      "atomic-contention",
      merges(
          "largest_sum",
          {.grid = {65536}, .block = {256}, .arguments = {"buf:67108864:int:10", "buf:4:zero"}}));
  EXPECT_THAT(found ? found->hint : "", Not(HasSubstr("many elements")));
}

}  // namespace
}  // namespace burin::advise
