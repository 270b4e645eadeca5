// Does advice name what makes lanes, warps and blocks wait for each other, and is the remedy one
// that the code allows? tests/data/emulate/control.cu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "asked.h"

namespace burin::advise {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Advised control(const std::string& kernel, const timing::TimedLaunch::Shape& shape) {
  return Advised("control.fatbin", kernel, shape);
}

// One rule asked, with the source at hand.
std::optional<Finding> ask_with_source(const std::string& rule, const Advised& launch) {
  std::vector<std::string> lines{""};
  std::ifstream file(BURIN_SOURCE_DIR "/tests/data/emulate/control.cu");
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  Case c = launch.launch_case();
  c.source_line = [&](std::string_view, std::uint32_t line) {
    return line < lines.size() ? lines[line] : std::string();
  };
  return ask(rule, c);
}

// The lanes without an element take part in the shuffles: the launch needs fewer of them per row.
TEST(Control, RowsShorterThanAWarpGetFewerLanes) {
  const auto found = ask_with_source(
      "divergence", control("short_rows", {.grid = {32768},
                                           .block = {256},
                                           .arguments = {"buf:1048580:rowptr:5", "buf:5242880:f32",
                                                         "buf:1048576:f32", "i32:262144"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, AllOf(HasSubstr("32 lanes share a row that has 5."),
                                 HasSubstr("loop at control.cu:11")));
  EXPECT_THAT(found->hint,
              AllOf(HasSubstr("Let 4 lanes share a row"), HasSubstr("d = 2, 1"),
                    HasSubstr("--grid 4096,1,1 --block 256,1,1"), HasSubstr("without an early"),
                    Not(HasSubstr("skipped by the lanes"))));
  EXPECT_GT(found->speedup, 3);  // 8.4 of 42.8 µs, predicted of the changed kernel
  EXPECT_LT(found->speedup, 7);
}

TEST(Control, ASwitchHasAListForEachCase) {
  const auto found = ask_with_source(
      "divergence", control("kinds", {.grid = {4096},
                                      .block = {256},
                                      .arguments = {"buf:4194304:int:5", "buf:4194304:f32",
                                                    "buf:4194304:undef", "i32:1048576"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, AllOf(HasSubstr("Only 6.4 of 32 lanes are active at control.cu:24"),
                                 HasSubstr("the branch at control.cu:22 diverges")));
  EXPECT_THAT(found->hint, AllOf(HasSubstr("5 of its sides have work"),
                                 HasSubstr("one list for each"), HasSubstr("multiple of 32"),
                                 HasSubstr("instead of returning at control.cu:20")));
}

TEST(Control, SumsOfAThreadAreNotCollected) {
  EXPECT_FALSE(ask_with_source(
      "divergence", control("log_odds", {.grid = {264},
                                         .block = {128},
                                         .arguments = {"buf:8650752:f32", "buf:135168:undef",
                                                       "i32:33792", "i32:64"}})));
}

// The condition of the `break` is never met: lanes leave because their rays end.
TEST(Control, LoopsOfUnequalLengthAreNamed) {
  const auto found = ask_with_source(
      "divergence", control("march", {.grid = {1056},
                                      .block = {128},
                                      .arguments = {"buf:4194304:f32", "buf:540672:undef",
                                                    "i32:1048576", "f32:0.1"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text,
              HasSubstr("different numbers of iterations of the loop at control.cu:64"));
  EXPECT_THAT(found->hint, Not(HasSubstr("control.cu:66 ")));
}

TEST(Control, TestsInsideLibraryFunctionsAreNotPeeled) {
  const auto found = ask_with_source(
      "branch-elimination", control("glows", {.grid = {1056},
                                              .block = {128},
                                              .arguments = {"buf:524288:f32", "buf:540672:undef",
                                                            "i32:131072", "i32:32"}}));
  ASSERT_TRUE(found);  // the user's own test of that line
  EXPECT_THAT(found->text,
              AllOf(HasSubstr("The condition at control.cu:83"), Not(HasSubstr("control.cu:72"))));
  EXPECT_LT(found->speedup, 1.2);
}

TEST(Control, ElementsOfHalfTheLanesAreNotVectorised) {
  EXPECT_FALSE(ask_with_source(
      "vector-access",
      control("every_second",
              {.grid = {16384},
               .block = {256},
               .arguments = {"buf:16777216:f32", "buf:16777216:f32", "i32:4194304", "i32:0"}})));
}

TEST(Control, NeighboursStaySingleLoads) {
  const auto found = ask_with_source(
      "vector-access", control("differences", {.grid = {16, 2048},
                                               .block = {128},
                                               .arguments = {"buf:16777220:f32", "buf:16777216:f32",
                                                             "buf:16777216:f32",
                                                             "buf:16777216:undef", "i32:2048"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("they stay single loads"));
}

// One thread has the longest loop, wherever it runs.
TEST(Control, TheLongestThreadBoundsALaunchOfOneWave) {
  const auto found = ask_with_source(
      "sm-balance",
      control("nearest_after", {.grid = {128},
                                .block = {128},
                                .arguments = {"buf:131072:f32", "i32:16384", "buf:65536:undef"}}));
  EXPECT_LT(found ? found->speedup : 1, 1.1);
}

TEST(Control, BlocksOfATriangleAreNumberedAlongIt) {
  const auto found = ask_with_source(
      "sm-balance", control("tile_pairs", {.grid = {32, 32},
                                           .block = {128},
                                           .arguments = {"buf:16384:f32", "buf:524288:undef",
                                                         "i32:4096", "i32:8"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("496 of 1,024 blocks return at once at control.cu:123"));
  EXPECT_THAT(found->hint,
              AllOf(HasSubstr("numbered along the triangle"), HasSubstr("--grid 528,1,1"),
                    HasSubstr("replaces blockIdx.y, and k - r * (r + 1) / 2 replaces blockIdx.x")));
}

TEST(Control, ScansOfABlockAreScansOfItsWarps) {
  const auto found = ask_with_source(
      "warp-balance",
      control("pass_places", {.grid = {4096},
                              .block = {512},
                              .arguments = {"buf:8388608:f32", "buf:8388608:undef", "f32:0.5"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("the flags of its 512 threads in 9 steps"));
  EXPECT_THAT(found->text, HasSubstr("with 18 barriers"));
  EXPECT_THAT(found->hint, AllOf(HasSubstr("__ballot_sync"), HasSubstr("__popc"),
                                 HasSubstr("array of 16 words")));
  EXPECT_GT(found->speedup, 1.4);
  EXPECT_LT(found->speedup, 2.5);
}

TEST(Control, RecurrencesInSharedMemoryAreNoScans) {
  EXPECT_FALSE(ask_with_source(
      "warp-balance",
      control("cheapest_paths", {.grid = {4096},
                                 .block = {512},
                                 .arguments = {"buf:8388608:int:100", "buf:8388608:undef"}})));
}

}  // namespace
}  // namespace burin::advise
