// Lanes that are far apart: is what the advice asks for possible, and does it promise no more than
// that gives? The kernels are those of tests/data/emulate/rows.cu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/case/rework.h"
#include "advise/patterns/mapping/row_walk.h"
#include "advise/patterns/mapping/row_work.h"
#include "advise/patterns/mapping/search.h"
#include "advise/patterns/reductions/carried.h"
#include "asked.h"

namespace burin::advise {
namespace {

using testing::HasSubstr;
using testing::Not;

Advised rows_of_block() {
  return Advised("rows.fatbin", "rows_of_block",
                 {.grid = {128},
                  .block = {256},
                  .arguments = {"buf:67108864:f32", "buf:512:undef", "i32:1024", "i32:128"}});
}
Advised largest_run() {
  return Advised("rows.fatbin", "largest_run",
                 {.grid = {256},
                  .block = {128},
                  .arguments = {"buf:8388608:int:9", "buf:131072:undef", "i32:32768", "i32:64"}});
}
Advised rank_of(const std::string& keys, const std::string& count) {
  return Advised(
      "rows.fatbin", "rank_of",
      {.grid = {8192},
       .block = {256},
       .arguments = {keys, "buf:8388608:int:4194304", "buf:8388608:undef", count, "i32:2097152"}});
}
Advised relax_cells() {
  return Advised("rows.fatbin", "relax_cells",
                 {.grid = {64, 64},
                  .block = {16, 16},
                  .arguments = {"buf:29360128:f32", "buf:29360128:undef", "i32:1024", "f32:0.5"}});
}
Advised add_rows() {
  return Advised("rows.fatbin", "add_rows",
                 {.grid = {256},
                  .block = {256},
                  .arguments = {"buf:16777216:f32", "buf:256:zero", "i32:65536", "i32:64"}});
}

// A block's rows are shared by its warps; more blocks would have nothing to do.
TEST(OwnRows, RowsOfABlockKeepTheLaunch) {
  const Advised launch = rows_of_block();
  const std::optional<RowWalk> walk = row_walk(launch.launch_case());
  ASSERT_TRUE(walk);
  EXPECT_NE(walk->rows_loop, read::kNoIndex);
  EXPECT_NEAR(walk->elements, 128, 1);
  const auto found = ask("coalescing", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("begins at row threadIdx.x / 32 and advances by blockDim.x / "
                                     "32"));
  EXPECT_THAT(found->hint, HasSubstr("--grid 128,1,1 --block 256,1,1"));
  EXPECT_THAT(found->hint, Not(HasSubstr("threads per row")));
  // One thread still looks for the maximum while the others wait.
  const Case c = launch.launch_case();
  EXPECT_LT(found->speedup, c.study->base().time_us / rework(c, shared_rows(c, *walk)).time_us);
}

TEST(OwnRows, WhatNeedsTheElementBeforeIsNotSplit) {
  const Advised launch = largest_run();
  const Case c = launch.launch_case();
  bool in_order = false;
  for (std::uint32_t l = 0; l < c.kernel.loops.size(); ++l)
    in_order |= CarriedValues(c, l).in_order();
  EXPECT_TRUE(in_order);
  EXPECT_FALSE(row_walk(c));
  const auto found = ask("coalescing", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("Each thread loads 256 bytes of its own"));
  EXPECT_THAT(found->hint, HasSubstr("The block's 32 KB fit in shared memory"));
  EXPECT_THAT(found->hint, Not(HasSubstr("share a row")));
}

TEST(OwnRows, SumsNeedNoOrder) {
  const Advised launch = rows_of_block();
  const Case c = launch.launch_case();
  for (std::uint32_t l = 0; l < c.kernel.loops.size(); ++l)
    EXPECT_FALSE(CarriedValues(c, l).in_order());
}

// Each result goes through the whole list: lanes take results, and there is nothing to combine.
TEST(OwnRows, LanesTakeResultsWhereEachNeedsTheWholeRow) {
  const Advised launch(
      "rows.fatbin", "add_named",
      {.grid = {256},
       .block = {256},
       .arguments = {"buf:262148:rowptr:16", "buf:4194304:int:65536", "buf:16777216:f32",
                     "buf:16777216:undef", "i32:65536", "i32:64"}});
  const std::optional<RowWalk> walk = row_walk(launch.launch_case());
  ASSERT_TRUE(walk);
  EXPECT_NE(walk->results_loop, read::kNoIndex);
  EXPECT_EQ(walk->lanes, 32u);
  EXPECT_EQ(walk->passes.size(), 1u);
  const auto found = ask("coalescing", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("begin at `lane` and advance by 32"));
  EXPECT_THAT(found->hint, HasSubstr("--grid 8192 --block 256"));
  EXPECT_THAT(found->hint, Not(HasSubstr("__shfl_down_sync")));
}

TEST(OwnRows, ASumOverTheRowIsNoResultOfEachElement) {
  const std::optional<RowWalk> walk = row_walk(rows_of_block().launch_case());
  ASSERT_TRUE(walk);
  EXPECT_EQ(walk->results_loop, read::kNoIndex);
}

// Nobody can put the steps of a search side by side, but the first of them are few elements.
TEST(Search, TheFirstStepsGoToSharedMemory) {
  const Advised launch = rank_of("buf:4194304:rowptr:4", "i32:1048576");
  const Case c = launch.launch_case();
  const Searches searches(c);
  ASSERT_NE(searches.halving(), read::kNoIndex);
  EXPECT_NEAR(sectors_of_levels(c, searches.halving(), 64), 1, 1e-9);
  EXPECT_GT(sectors_of_levels(c, searches.halving(), 12),
            sectors_of_levels(c, searches.halving(), 6));
  const auto found = ask("coalescing", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->text, HasSubstr("adjacent lanes cannot load adjacent elements"));
  EXPECT_THAT(found->hint,
              HasSubstr("the first 12 steps (4096 elements at equal distances, 16 KB)"));
  EXPECT_LT(found->speedup, 2.5);
}

TEST(Search, LoadsByACounterAreNoSearch) {
  const Advised walks = largest_run();
  EXPECT_EQ(Searches(walks.launch_case()).halving(), read::kNoIndex);
  const Advised gathers("spmv_scalar/large");
  EXPECT_EQ(Searches(gathers.launch_case()).halving(), read::kNoIndex);
}

// Rows of 16 threads do not hide that the lanes are in structures; what is counted is named.
TEST(LaneMapping, StructuresAreLoadedAndStoredThroughSharedMemory) {
  const Advised launch = relax_cells();
  const auto found = ask("coalescing", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, HasSubstr("structures of 28 bytes side by side"));
  EXPECT_THAT(found->hint, HasSubstr("loads at rows.cu:"));
  EXPECT_THAT(found->hint, HasSubstr("and stores at rows.cu:"));
  EXPECT_THAT(found->hint, HasSubstr("Do both"));
}

TEST(MemoryTransactions, WordsOfUnalignedStructuresAreNotJoined) {
  const Advised launch = relax_cells();
  const Advice advice = advise(launch.launch_case(), {.least = 0});
  for (const Finding& f : advice.findings) {
    if (f.rule != "memory-transaction-reduction") continue;
    EXPECT_THAT(f.hint, Not(HasSubstr("Combine them in a register")));
  }
}

// Lanes that share a row perform as many atomics as before.
TEST(Rework, AtomicsTakeTheTimeThatTheyTake) {
  const Advised launch = add_rows();
  const Case c = launch.launch_case();
  const double atomics_us = c.machine.seconds(c.study->base().l2_atomic_cycles) * 1e6;
  EXPECT_GT(atomics_us, 0.5 * c.study->base().time_us);
  EXPECT_GE(rework(c, work_of(c)).time_us, atomics_us);
  const auto found = ask("coalescing", launch);
  EXPECT_TRUE(!found || found->speedup < 1.1);
}

// 64 sums of a thread are a tile already: four times as many would not fit in its registers.
TEST(ThreadCoarsening, TilesOfSumsAreNotMadeLarger) {
  const Advised launch("rows.fatbin", "distances_of_tiles",
                       {.grid = {16, 16},
                        .block = {16, 16},
                        .arguments = {"buf:524288:f32", "buf:524288:f32", "buf:16777216:undef",
                                      "i32:2048", "i32:64"}});
  EXPECT_FALSE(ask("thread-coarsening", launch));
}

}  // namespace
}  // namespace burin::advise
