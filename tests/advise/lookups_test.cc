// Does advice know which values all lanes have in common, what barriers order, and what a loop goes
// along? tests/data/emulate/lookups.cu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "asked.h"

namespace burin::advise {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Advised lookups(const std::string& kernel, const timing::TimedLaunch::Shape& shape) {
  return Advised("lookups.fatbin", kernel, shape);
}

const timing::TimedLaunch::Shape kAlike{
    .grid = {264},
    .block = {256},
    .arguments = {"buf:6488064:u8", "buf:384:int:12", "buf:270336:undef", "i32:67584", "i32:96"}};
const timing::TimedLaunch::Shape kByLane{
    .grid = {2112},
    .block = {256},
    .arguments = {"buf:51904512:u8", "buf:2162688:undef", "i32:540672", "i32:96"}};

// The loaded index is the same in all lanes, so that the conflict follows from the rows.
TEST(Lookups, AnIndexThatAllLanesShareIsNoChance) {
  const auto found = ask("bank-conflicts", lookups("classes_alike", kAlike));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("4-way bank conflict"));
  EXPECT_THAT(found->hint, HasSubstr("a multiple of 4 apart. Pad each row"));
}

TEST(Lookups, AnIndexOfEachLaneIsChance) {
  const auto found = ask("bank-conflicts", lookups("classes_by_lane", kByLane));
  EXPECT_THAT(found ? found->hint : "", Not(HasSubstr("Pad each row")));
}

// The loop goes from row to row, each as long as the grid has threads: adjacent elements are those
// of adjacent threads, not those of later iterations.
TEST(Lookups, ALoopAcrossRowsHasNoLongerStep) {
  const auto found = ask("vector-access", lookups("classes_by_lane", kByLane));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, AllOf(HasSubstr("launch 528 blocks of the same size along x"),
                                 Not(HasSubstr("loop step"))));
}

// Four pixels per thread are four loops: only the store is shared.
TEST(Lookups, ALoopForEachElementIsRunForEach) {
  const auto found =
      ask("vector-access",
          lookups("escape_times", {.grid = {64, 256},
                                   .block = {32, 8},
                                   .arguments = {"buf:4194304:undef", "i32:2048", "i32:100"}}));
  EXPECT_LT(found ? found->speedup : 1, 1.1);
}

TEST(Lookups, RowsThatBeginAnywhereHaveNoWideLoads) {
  EXPECT_FALSE(
      ask("vector-access",
          lookups("rows_anywhere", {.grid = {256},
                                    .block = {256},
                                    .arguments = {"buf:262148:rowptr:23", "buf:6291456:f32",
                                                  "buf:262144:undef", "i32:65536"}})));
}

TEST(Lookups, LoadsPassBarriersInALoopWithoutStores) {
  const auto found = ask("code-reordering",
                         lookups("steps_of_block", {.grid = {264},
                                                    .block = {256},
                                                    .arguments = {"buf:131072:u8", "buf:135168:u8",
                                                                  "buf:270336:undef", "i32:512"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("prefetch the next iteration's value at lookups.cu:"));
  EXPECT_GT(found->speedup, 1.3);
}

TEST(Lookups, WarpsOfUnequalRecurrencesCannotShareIterations) {
  const auto found =
      ask("warp-balance",
          lookups("growth", {.grid = {264},
                             .block = {256},
                             .arguments = {"buf:270336:f32", "buf:1056:undef", "i32:1536"}}));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, AllOf(HasSubstr("needs the one before"),
                                 HasSubstr("Give all warps equal amounts of work")));
}

}  // namespace
}  // namespace burin::advise
