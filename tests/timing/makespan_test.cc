#include "timing/grid/makespan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace burin::timing {
namespace {

GridEnd end_of(const std::vector<BlockWork>& works, const SmPace& share) {
  std::vector<const BlockWork*> pointers;
  for (const BlockWork& work : works) pointers.push_back(&work);
  return makespan(pointers, share);
}

BlockWork one_warp(double steps) {
  return work_of_warps({steps});
}

TEST(BlockWork, IsTheSumAndTheLongestOfItsWarps) {
  const BlockWork work = work_of_warps({100, 300, 50});
  EXPECT_EQ(work.steps, 450);
  EXPECT_EQ(work.longest, 300);
}

TEST(Makespan, OneBlockTakesItsLongestWarp) {
  const BlockWork work = work_of_warps({100, 20, 100, 60});
  EXPECT_DOUBLE_EQ(end_of({work}, {.sms = 2, .rate = 4, .pace = 5}).end, 500);
}

TEST(Makespan, WarpsShareWhatTheSmCanDo) {
  // Each asks for 100 instructions in 100 cycles, on a scheduler of its own; the SM does one in two
  // cycles.
  const std::vector<BlockWork> four(4, one_warp(100));
  EXPECT_DOUBLE_EQ(end_of(four, {.resident = 4, .rate = 0.5}).end, 800);
  EXPECT_DOUBLE_EQ(end_of(four, {.resident = 4, .rate = 4}).end, 100);
  EXPECT_DOUBLE_EQ(end_of(four, {.resident = 2, .rate = 4}).end, 200);
}

TEST(Makespan, WarpsOfASchedulerShareItsSlots) {
  // Eight warps on four schedulers: two on each, that would issue in every second cycle alone.
  const std::vector<BlockWork> block{work_of_warps(std::vector<double>(8, 100))};
  EXPECT_DOUBLE_EQ(end_of(block, {.rate = 8, .pace = 2}).end, 200);
  EXPECT_DOUBLE_EQ(end_of(block, {.schedulers = 2, .rate = 8, .pace = 2}).end, 400);
  // The long ones are on one scheduler: the others cannot help.
  const std::vector<BlockWork> uneven{work_of_warps({100, 0, 0, 0, 100, 0, 0, 0})};
  EXPECT_DOUBLE_EQ(end_of(uneven, {.rate = 8}).end, 200);
}

TEST(Makespan, BlocksGoRoundTheSchedulers) {
  // Blocks of one warp. The fifth stands behind the first, though the fourth ended long before.
  std::vector<BlockWork> works;
  for (const double steps : {1000, 1000, 1000, 10, 10}) works.push_back(one_warp(steps));
  const GridEnd grid = end_of(works, {.resident = 4, .rate = 4});
  EXPECT_DOUBLE_EQ(grid.end, 1010);
}

TEST(Makespan, TheOldestBlockOfASchedulerComesFirst) {
  // Five on four schedulers: the first and the last share one.
  const std::vector<BlockWork> works(5, one_warp(100));
  const GridEnd grid = end_of(works, {.resident = 8, .rate = 4});
  EXPECT_DOUBLE_EQ(grid.end, 200);
  EXPECT_DOUBLE_EQ(grid.mean_end, 120) << "shared evenly, both would end at 200";
}

TEST(Makespan, ABlockWaitsForRoomAtItsScheduler) {
  std::vector<BlockWork> works(5, one_warp(10));
  works.front() = one_warp(1000);
  const SmPace two_at_a_time{.resident = 8, .slots = 2, .rate = 4, .pace = 2};
  EXPECT_DOUBLE_EQ(end_of(works, two_at_a_time).end, 2000);
  SmPace one_at_a_time = two_at_a_time;
  one_at_a_time.slots = 1;
  EXPECT_DOUBLE_EQ(end_of(works, one_at_a_time).end, 2020);
}

TEST(Makespan, TheLastBlockMayBeLong) {
  std::vector<BlockWork> works(8, one_warp(10));
  EXPECT_DOUBLE_EQ(end_of(works, {.sms = 4, .rate = 1}).end, 20);
  works.back() = one_warp(100);
  EXPECT_DOUBLE_EQ(end_of(works, {.sms = 4, .rate = 1}).end, 110);
  std::swap(works.front(), works.back());
  EXPECT_DOUBLE_EQ(end_of(works, {.sms = 4, .rate = 1}).end, 100);
}

TEST(Makespan, ABlockThatEndsLeavesItsShareToTheOthers) {
  // ConcurrentRun they ask for 2 in a cycle and get 1: 20 cycles until the short one ends, then the
  // long one goes on alone at its own pace.
  const GridEnd grid = end_of({one_warp(10), one_warp(100)}, {.resident = 2, .rate = 1});
  EXPECT_DOUBLE_EQ(grid.end, 110);
  EXPECT_DOUBLE_EQ(grid.mean_end, 65);
}

TEST(Makespan, BlocksThatEndAreTakenNoteOfOneByOne) {
  // All SMs would have room at once.
  const std::vector<BlockWork> works(40, one_warp(10));
  const SmPace quick{.sms = 8, .rate = 1};
  EXPECT_DOUBLE_EQ(end_of(works, quick).end, 50);
  SmPace slow = quick;
  slow.gap = 7;
  EXPECT_DOUBLE_EQ(end_of(works, slow).end, 10 + 31 * 7 + 10);
}

TEST(Makespan, PlacesAreEmptyForAWhile) {
  const std::vector<BlockWork> works(4, one_warp(10));
  EXPECT_DOUBLE_EQ(end_of(works, {.rate = 1, .latency = 5}).end, 4 * 10 + 3 * 5);
  EXPECT_DOUBLE_EQ(end_of(works, {.rate = 1, .start = 3, .latency = 5}).end, 4 * 13 + 3 * 5);
  EXPECT_DOUBLE_EQ(end_of(works, {.resident = 4, .rate = 4, .sm_gap = 2}).end, 16);
}

TEST(Makespan, NeverBelowWhatTheWorkNeeds) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<BlockWork> works;
    double steps = 0;
    double longest = 0;
    for (std::size_t blocks = 1 + random() % 300; blocks > 0; --blocks) {
      std::vector<double> warps(1 + random() % 8);
      for (double& warp : warps) warp = 1 + static_cast<double>(random() % 1000);
      works.push_back(work_of_warps(warps));
      steps += works.back().steps;
      longest = std::max(longest, works.back().longest);
    }
    const SmPace share{.sms = 1 + random() % 16,
                       .resident = 1 + random() % 8,
                       .rate = 0.25 * static_cast<double>(1 + random() % 16),
                       .pace = static_cast<double>(1 + random() % 30)};
    const double end = end_of(works, share).end;
    EXPECT_GE(end * 1.000001, steps / share.rate / static_cast<double>(share.sms));
    EXPECT_GE(end * 1.000001, longest * share.pace);
  }
}

TEST(Makespan, TellsWhenAnSmHasNothingLeft) {
  const GridEnd grid = end_of({one_warp(10), one_warp(30)}, {.sms = 2, .rate = 1});
  EXPECT_DOUBLE_EQ(grid.first_idle, 10);
  EXPECT_DOUBLE_EQ(grid.end, 30);
  EXPECT_DOUBLE_EQ(end_of({one_warp(10)}, {.sms = 2, .rate = 1}).first_idle, 0);
}

TEST(Deal, GoesAroundTheSms) {
  EXPECT_EQ(deal(7, {.sms = 3, .resident = 4}), (std::vector<std::size_t>{0, 1, 2, 0, 1, 2, 0}));
  EXPECT_EQ(deal(7, {.sms = 3, .resident = 2}), (std::vector<std::size_t>{0, 1, 2, 0, 1, 2}));
  EXPECT_TRUE(deal(0, {.sms = 3, .resident = 2}).empty());
}

TEST(Deal, GivesEachAnEvenShareBeforeAnyGetsMore) {
  // As an H200 was seen to do it: 1000 blocks, 8 of which an SM can hold.
  const SmPace share{.sms = 132, .resident = 8, .apart = 8, .turn = 91};
  const std::vector<std::size_t> dealt = deal(1000, share);
  ASSERT_EQ(dealt.size(), 1000u);
  std::vector<std::size_t> first;  // blocks of the first SM
  std::vector<std::size_t> counts(share.sms);
  for (std::size_t b = 0; b < dealt.size(); ++b) {
    ++counts[dealt[b]];
    if (dealt[b] == 0) first.push_back(b);
  }
  EXPECT_EQ(std::count(counts.begin(), counts.end(), 8u), 76);
  EXPECT_EQ(std::count(counts.begin(), counts.end(), 7u), 56);
  EXPECT_EQ(first, (std::vector<std::size_t>{0, 99, 198, 297, 396, 495, 594, 924}));
}

TEST(Makespan, SmsThatStandApartGetTheFirstBlocks) {
  std::vector<BlockWork> falling;
  for (int b = 1000; b > 0; --b) {
    falling.push_back(work_of_warps(std::vector<double>(8, 1.0 * b)));
  }
  const SmPace even{.sms = 132, .resident = 8, .rate = 1};
  SmPace apart = even;
  apart.apart = 8;
  apart.turn = 91;
  EXPECT_GT(end_of(falling, apart).end, 1.1 * end_of(falling, even).end);
}

TEST(Makespan, NothingTakesNoTime) {
  EXPECT_EQ(makespan({}, {}).end, 0);
}

TEST(Makespan, BlocksOfFixedDurationAreNotSlowedDown) {
  BlockWork idle = work_of_warps({5, 5});
  idle.cycles = 100;
  const BlockWork busy = work_of_warps({1000, 1000});
  const std::vector<const BlockWork*> works{&busy, &idle};
  const SmPace sm{.sms = 1, .resident = 2, .rate = 0.5, .pace = 2};
  const GridEnd both = makespan(works, sm);
  EXPECT_DOUBLE_EQ(both.end, makespan(std::span(works).first(1), sm).end);
  EXPECT_DOUBLE_EQ(2 * both.mean_end, both.end + 100);
}

}  // namespace
}  // namespace burin::timing
