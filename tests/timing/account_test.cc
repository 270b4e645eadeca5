// Does the account keep what it is told, and know in which cycles a scheduler issued?
#include "timing/sm/account.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace burin::timing {
namespace {

TEST(IssueRecord, CountsTheIssuesOfAnyStretch) {
  IssueRecord record;
  EXPECT_EQ(record.between(0, 100), 0);
  for (const std::int64_t cycle : {0, 1, 63, 64, 65, 200}) record.issued(cycle);
  EXPECT_EQ(record.between(0, 1), 1);
  EXPECT_EQ(record.between(1, 63), 1) << "the end is not in it";
  EXPECT_EQ(record.between(63, 65), 2);
  EXPECT_EQ(record.between(66, 200), 0);
  EXPECT_EQ(record.between(0, 201), 6);
  EXPECT_EQ(record.between(5, 5), 0);
  EXPECT_EQ(record.between(200, 5000), 1) << "nothing was issued later";
}

TEST(IssueRecord, AgreesWithCountingOneByOne) {
  IssueRecord record;
  std::set<std::int64_t> issued;
  std::mt19937 random(1);
  std::int64_t cycle = 0;
  for (int k = 0; k < 500; ++k) {
    cycle += 1 + static_cast<std::int64_t>(random() % (k % 50 == 0 ? 400 : 5));
    record.issued(cycle);
    issued.insert(cycle);
  }
  for (int k = 0; k < 500; ++k) {
    const auto from = static_cast<std::int64_t>(random() % static_cast<unsigned>(cycle));
    const auto to = from + static_cast<std::int64_t>(random() % 300);
    const auto counted = std::distance(issued.lower_bound(from), issued.lower_bound(to));
    EXPECT_EQ(record.between(from, to), counted) << from << " to " << to;
  }
}

TEST(Account, WeighsAndSplitsStalls) {
  Account account(3);
  account.issue(1, 2.5);
  account.stall(1, launch::Stall::kWait, 10, 4, 0, 2.5);
  account.stall(1, launch::Stall::kWait, 0, 0, 0, 1);  // nothing
  account.stall(2, launch::Stall::kBarrier, 6, 6, Account::kNobody, 1);
  EXPECT_EQ(account.issued(), 2.5);
  EXPECT_EQ(account.costs()[1].issued, 2.5);
  const launch::StallCycles& wait =
      account.costs()[1].stalls[static_cast<std::size_t>(launch::Stall::kWait)];
  EXPECT_EQ(wait.active, 10);
  EXPECT_EQ(wait.latency, 15);
  EXPECT_EQ(account.stalls()[static_cast<std::size_t>(launch::Stall::kWait)].sum(), 25);
  EXPECT_EQ(account.stalls()[static_cast<std::size_t>(launch::Stall::kBarrier)].latency, 0);
  ASSERT_EQ(account.blames().size(), 1u) << "nobody is not blamed";
}

TEST(Account, BlamesAreToldOnceEachAndTheLargestFirst) {
  Account account(3);
  account.stall(2, launch::Stall::kWait, 3, 0, 0, 1);
  account.stall(2, launch::Stall::kLongScoreboard, 9, 1, 0, 1);
  account.stall(2, launch::Stall::kWait, 4, 2, 0, 1);
  account.stall(2, launch::Stall::kWait, 1, 0, 1, 1);
  const std::vector<Blame> blames = account.blames();
  ASSERT_EQ(blames.size(), 3u);
  EXPECT_EQ(blames[0].stall, launch::Stall::kLongScoreboard);
  EXPECT_EQ(blames[1].cycles.sum(), 7);
  EXPECT_EQ(blames[1].cycles.active, 2);
  EXPECT_EQ(blames[2].cause, 1u);
  EXPECT_EQ(blames[2].waits, 2u);
}

TEST(Stall, HasANameThatProfilersUse) {
  std::set<std::string_view> names;
  for (std::size_t s = 0; s < launch::kStalls; ++s)
    names.insert(launch::name(static_cast<launch::Stall>(s)));
  EXPECT_EQ(names.size(), launch::kStalls);
  EXPECT_EQ(name(launch::Stall::kLongScoreboard), "long_scoreboard");
  EXPECT_EQ(name(launch::Stall::kMathPipeThrottle), "math_pipe_throttle");
  EXPECT_FALSE(names.contains(""));
}

}  // namespace
}  // namespace burin::timing
