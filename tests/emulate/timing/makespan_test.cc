#include "emulate/timing/makespan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace burin {
namespace {

TEST(Makespan, OneBlockTakesItsLongestWarp) {
  EXPECT_DOUBLE_EQ(
      makespan(std::vector<BlockWork>{{400, 100}}, {.sms = 2, .rate = 4, .pace = 5}).end, 500);
}

TEST(Makespan, BlocksShareWhatTheSmCanIssue) {
  // Each asks for 100 instructions in 100 cycles; the SM does one in two cycles.
  const std::vector<BlockWork> four(4, {100, 100});
  EXPECT_DOUBLE_EQ(makespan(four, {.resident = 4, .rate = 0.5}).end, 800);
  EXPECT_DOUBLE_EQ(makespan(four, {.resident = 4, .rate = 4}).end, 100);
  EXPECT_DOUBLE_EQ(makespan(four, {.resident = 2, .rate = 4}).end, 200);
}

TEST(Makespan, TheLastBlockMayBeLong) {
  std::vector<BlockWork> works(8, {10, 10});
  EXPECT_DOUBLE_EQ(makespan(works, {.sms = 4, .rate = 1}).end, 20);
  works.back() = {100, 100};
  EXPECT_DOUBLE_EQ(makespan(works, {.sms = 4, .rate = 1}).end, 110);
  std::swap(works.front(), works.back());
  EXPECT_DOUBLE_EQ(makespan(works, {.sms = 4, .rate = 1}).end, 100);
}

TEST(Makespan, ABlockThatEndsLeavesItsShareToTheOthers) {
  // Together they ask for 2 in a cycle and get 1: 20 cycles until the short one ends, then the long
  // one goes on alone at its own pace.
  const std::vector<BlockWork> works{{10, 10}, {100, 100}};
  EXPECT_DOUBLE_EQ(makespan(works, {.resident = 2, .rate = 1}).end, 110);
}

TEST(Makespan, NeverBelowWhatTheWorkNeeds) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    std::vector<BlockWork> works(1 + random() % 300);
    double steps = 0;
    double longest = 0;
    for (BlockWork& w : works) {
      w.longest = 1 + static_cast<double>(random() % 1000);
      w.steps = w.longest * static_cast<double>(1 + random() % 8);
      steps += w.steps;
      longest = std::max(longest, w.longest);
    }
    const SmPace share{.sms = 1 + random() % 16,
                       .resident = 1 + random() % 8,
                       .rate = 0.25 * static_cast<double>(1 + random() % 16),
                       .pace = static_cast<double>(1 + random() % 30)};
    const double end = makespan(works, share).end;
    EXPECT_GE(end * 1.000001, steps / share.rate / static_cast<double>(share.sms));
    EXPECT_GE(end * 1.000001, longest * share.pace);
  }
}

TEST(Makespan, TellsWhenAnSmHasNothingLeft) {
  const GridEnd grid = makespan(std::vector<BlockWork>{{10, 10}, {30, 30}}, {.sms = 2, .rate = 1});
  EXPECT_DOUBLE_EQ(grid.first_idle, 10);
  EXPECT_DOUBLE_EQ(grid.end, 30);
  EXPECT_DOUBLE_EQ(makespan(std::vector<BlockWork>{{10, 10}}, {.sms = 2, .rate = 1}).first_idle, 0);
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
  for (int b = 1000; b > 0; --b) falling.push_back({8.0 * b, 1.0 * b});
  const SmPace even{.sms = 132, .resident = 8, .rate = 1};
  SmPace apart = even;
  apart.apart = 8;
  apart.turn = 91;
  EXPECT_GT(makespan(falling, apart).end, 1.1 * makespan(falling, even).end);
}

TEST(Makespan, NothingTakesNoTime) {
  EXPECT_EQ(makespan({}, {}).end, 0);
}

}  // namespace
}  // namespace burin
