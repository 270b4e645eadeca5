// Is the limiter the unit that is saturated, else what the time follows most?
#include "analyze/limiter.h"

#include <gtest/gtest.h>

#include "studied.h"

namespace burin::analyze {
namespace {

using machine::Resource;

Limits example() {
  Limits limits;
  limits.rows = {{.resource = Resource::kFma, .mode = Mode::kLatency, .share = 0.6},
                 {.resource = Resource::kIssue, .mode = Mode::kThroughput, .share = 0.4},
                 {.resource = Resource::kDram, .mode = Mode::kThroughput, .share = 0.1}};
  limits.bounds = {{"chain", 70}, {"issue", 60}, {"dram", 10}};
  return limits;
}

TEST(Limiter, IsTheLargestShare) {
  Limits limits = example();
  choose_limiters(100, limits);
  EXPECT_EQ(limits.limiters, std::vector<std::size_t>{0});
  EXPECT_FALSE(limits.saturated);
}

// At its limit, nothing but this unit can gain: what else would slow the launch down is no limiter.
TEST(Limiter, IsTheUnitWhoseLowerBoundIsTheTime) {
  Limits limits = example();
  limits.bounds = {{"chain", 97}, {"issue", 95}, {"dram", 10}};
  choose_limiters(100, limits);
  EXPECT_EQ(limits.limiters, std::vector<std::size_t>{1});
  EXPECT_TRUE(limits.saturated);
  EXPECT_NEAR(limits.bound_share, 0.95, 1e-9);
}

TEST(Limiter, AreSeveralWhereTheyCannotBeRanked) {
  Limits limits = example();
  limits.rows[1].share = 0.55;
  choose_limiters(100, limits);
  EXPECT_EQ(limits.limiters, (std::vector<std::size_t>{0, 1}));
}

TEST(Limiter, IsNoneWhereAllSharesAreSmall) {
  Limits limits = example();
  for (Sensitivity& row : limits.rows) row.share /= 5;
  choose_limiters(100, limits);
  EXPECT_TRUE(limits.limiters.empty());
}

TEST(Limiter, OfAStreamIsDram) {
  const Studied launch = stream();
  const Limits found = limits(launch.study());
  ASSERT_FALSE(found.limiters.empty());
  EXPECT_EQ(found.rows[found.limiters[0]].resource, Resource::kDram);
}

}  // namespace
}  // namespace burin::analyze
