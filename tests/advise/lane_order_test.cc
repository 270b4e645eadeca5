// Lanes that are far apart: does the advice say only what holds of their distances, lengths and
// order, and promise only what the change it asks for can give? tests/data/emulate/lane_order.cu.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "advise/patterns/mapping/row_walk.h"
#include "advise/patterns/mapping/unordered.h"
#include "asked.h"

namespace burin::advise {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

Advised lane_order(const std::string& kernel, const timing::TimedLaunch::Shape& shape) {
  return Advised("lane_order.fatbin", kernel, shape);
}

const timing::TimedLaunch::Shape kVectors{
    .grid = {4096},
    .block = {256},
    .arguments = {"buf:4M:perm", "buf:32M:f32", "buf:32M:undef", "i32:1048576"}};
const timing::TimedLaunch::Shape kShares{
    .grid = {1024},
    .block = {256},
    .arguments = {"buf:48M:f32", "buf:48M:undef", "i32:262144", "i32:48"}};
const timing::TimedLaunch::Shape kProducts{
    .grid = {1024},
    .block = {128},
    .arguments = {"buf:1M:f32", "buf:4M:undef", "i32:1024", "i32:256"}};
const timing::TimedLaunch::Shape kRuns{
    .grid = {8192},
    .block = {32},
    .arguments = {"buf:32M:int:9", "buf:1M:undef", "i32:262144", "i32:32"}};
const timing::TimedLaunch::Shape kSlots{
    .grid = {8192},
    .block = {256},
    .arguments = {"buf:8M:u8", "buf:64M:u8", "buf:8M:undef", "u32:16777215"}};
const timing::TimedLaunch::Shape kTable{
    .grid = {8192},
    .block = {256},
    .arguments = {"buf:8M:int:4096", "buf:16K:f32", "buf:8M:undef"}};
const timing::TimedLaunch::Shape kSums{
    .grid = {64, 64},
    .block = {16, 16},
    .arguments = {"buf:256K:f32", "buf:256K:f32", "buf:4M:f32", "i32:1024", "i32:64"}};
const timing::TimedLaunch::Shape kWindow{
    .grid = {32, 128},
    .block = {32, 8},
    .arguments = {"buf:5M:f32", "buf:100:f32", "buf:4M:undef", "i32:1024", "i32:2"}};

// The rows have eight elements each, wherever they are.
TEST(LaneOrder, ElementsThatAreStoredHaveNothingToCombine) {
  const auto found = ask("coalescing", lane_order("scaled_vectors", kVectors));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint,
              AllOf(HasSubstr("(8 elements, at unequal distances from lane to lane)"),
                    HasSubstr("Let 8 adjacent lanes share a row"),
                    HasSubstr("there is nothing to combine"), Not(HasSubstr("unequal length")),
                    Not(HasSubstr("__shfl_down_sync")), Not(HasSubstr("Lane 0"))));
}

// Adjacent rows are one or two lines apart, and some lanes load two vectors of four elements.
TEST(LaneOrder, DistancesOfRowsAreExact) {
  const Advised launch = lane_order("to_unit_sum", kShares);
  const std::optional<RowWalk> walk = row_walk(launch.launch_case());
  ASSERT_TRUE(walk);
  EXPECT_EQ(walk->stride, 192u);
  const auto found = ask("memory-transaction-reduction", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, AllOf(HasSubstr("48 elements, 192 bytes from lane to lane"),
                                 HasSubstr("load it once into 8 registers per lane")));
}

TEST(LaneOrder, LanesWithoutARowMoveTilesOfTheOthers) {
  const auto found = ask("coalescing", lane_order("products_before", kProducts));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint,
              AllOf(HasSubstr("All 32 lanes take part until the longest row of the warp has ended"),
                    HasSubstr("about 4,100 bytes of its own")));
}

// 132 bytes are no multiple of 16.
TEST(LaneOrder, PaddedRowsTakeNoWideStores) {
  const auto found = ask("coalescing", lane_order("longest_run", kRuns));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, AllOf(HasSubstr("132 bytes from each thread's row to the next"),
                                 HasSubstr("4 bytes at a time"), Not(HasSubstr("16 bytes"))));
}

// Sectors at the ends of a row are not all its own, and a loop unrolled by four has a remainder.
TEST(LaneOrder, RowsHaveAsManyElementsAsAreLoaded) {
  const Advised launch = lane_order(
      "sums_from",
      {.grid = {4096},
       .block = {256},
       .arguments = {"buf:4M:int:4000000", "buf:17M:f32", "buf:4M:undef", "i32:1048576", "i32:6"}});
  const std::optional<RowWalk> walk = row_walk(launch.launch_case());
  ASSERT_TRUE(walk);
  EXPECT_NEAR(walk->elements, 6, 0.01);
  EXPECT_FALSE(walk->unequal);
  EXPECT_EQ(walk->passes.size(), 1u);
}

// DRAM is no more than two thirds busy, and a structure of arrays moves fewer bytes.
TEST(LaneOrder, FieldsOfStructuresAndLookupsAreTwoChanges) {
  const Advised launch = lane_order(
      "grow", {.grid = {8192},
               .block = {256},
               .arguments = {"buf:58720256:f32", "buf:16K:f32", "f32:0.001", "i32:4096"}});
  const auto found = ask("coalescing", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint,
              AllOf(HasSubstr("structures of 28 bytes"),
                    HasSubstr("Otherwise go through shared memory, which gains less"),
                    Not(HasSubstr("Nothing else helps")), Not(HasSubstr("scattered addresses"))));
  const auto requests = ask("memory-transaction-reduction", launch);
  ASSERT_TRUE(requests);
  EXPECT_THAT(requests->hint, HasSubstr("structures of 28 bytes"));
  EXPECT_NEAR(requests->speedup, found->speedup, 0.3);
}

// Each key has slots of its own: sorted keys would need as many sectors.
TEST(LaneOrder, ProbesOfALargeTableHaveNoRemedy) {
  const Advised launch = lane_order("slots_tried", kSlots);
  const Case c = launch.launch_case();
  EXPECT_FALSE(row_walk(c));
  const Unordered unordered = unordered_accesses(c, std::nullopt);
  unsigned probes = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    probes += unordered.accesses[i];
    EXPECT_FALSE(unordered.has_remedy(i));
  }
  EXPECT_GT(probes, 0u);
  EXPECT_FALSE(ask("coalescing", launch));
}

// Each thread has a list: in any order, its names differ from those in the next lane's list.
TEST(LaneOrder, WhatListsNameCannotBeSorted) {
  const Advised launch =
      lane_order("sums_named", {.grid = {1024},
                                .block = {256},
                                .arguments = {"buf:1048580:rowptr:16", "buf:16M:int:262144",
                                              "buf:1M:f32", "buf:1M:undef", "i32:262144"}});
  const Case c = launch.launch_case();
  const std::optional<RowWalk> walk = row_walk(c);
  ASSERT_TRUE(walk);
  const Unordered unordered = unordered_accesses(c, walk);
  unsigned named = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    named += unordered.accesses[i];
    EXPECT_FALSE(unordered.sortable[i]);
  }
  EXPECT_GT(named, 0u);
}

// The whole launch shares the table, but a block looks up less than it would have to copy.
TEST(LaneOrder, LookupsInASharedTableCanBeSorted) {
  const Advised launch = lane_order("looked_up", kTable);
  const Case c = launch.launch_case();
  const Unordered unordered = unordered_accesses(c, std::nullopt);
  unsigned sortable = 0;
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    sortable += unordered.sortable[i];
    EXPECT_FALSE(unordered.fits[i]);
  }
  EXPECT_EQ(sortable, 1u);
  const auto found = ask("coalescing", launch);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, AllOf(HasSubstr("Sort the elements that determine them"),
                                 Not(HasSubstr("shared memory"))));
}

// What is loaded at that line lies as far apart as what is stored.
TEST(LaneOrder, AResultAlongTheWrongIndexIsNoTransposition) {
  const auto found = ask("coalescing", lane_order("add_product", kSums));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, AllOf(HasSubstr("threadIdx.x runs along the wrong index"),
                                 HasSubstr("Exchange"), Not(HasSubstr("transposition"))));
}

// 36 × 12 elements are read; sectors contain others.
TEST(LaneOrder, WholeSectorsAreNoExactCount) {
  const auto found = ask("shared-staging", lane_order("window_sums", kWindow));
  ASSERT_TRUE(found);
  EXPECT_THAT(found->hint, AllOf(HasSubstr("about 480 elements"), Not(HasSubstr("i < 480"))));
}

}  // namespace
}  // namespace burin::advise
