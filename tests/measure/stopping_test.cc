#include "measure/stopping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace burin::measure {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST(MedianError, ComesFromTheQuartiles) {
  // Quartiles 2 and 4, median 3, five values: 0.929 · 2 / √5 / 3.
  EXPECT_NEAR(median_error(std::vector{1.0, 2.0, 3.0, 4.0, 100.0}), 0.929 * 2 / std::sqrt(5) / 3,
              1e-12);
  EXPECT_EQ(median_error(std::vector{7.0, 7.0, 7.0, 7.0}), 0);
  EXPECT_TRUE(std::isinf(median_error(std::vector{7.0, 7.0, 7.0})));
}

TEST(StoppingRule, AFixedNumberIsOneBatch) {
  StoppingRule rule(exactly(20));
  EXPECT_EQ(rule.next(0), 20u);
  rule.add(std::vector<double>(20, 1.0), false);
  EXPECT_EQ(rule.next(1), 0u);
  EXPECT_THAT(rule.times_us(), SizeIs(20));
  EXPECT_FALSE(rule.settled());  // nothing was to be reached
  EXPECT_EQ(StoppingRule(exactly(0)).next(0), 0u);
}

TEST(StoppingRule, EndsWhenTheMedianIsKnown) {
  StoppingRule rule({.least = 5, .most = 100, .target_spread = 0.01});
  EXPECT_EQ(rule.next(0), 5u);
  rule.add(std::vector{10.0, 10.01, 10.02, 10.0, 10.01}, false);
  EXPECT_EQ(rule.next(0), 0u);
  EXPECT_TRUE(rule.settled());
  EXPECT_FALSE(rule.cut_short());
}

TEST(StoppingRule, TakesMoreOfANoisyKernelUpToTheMost) {
  StoppingRule rule({.least = 4, .most = 30, .target_spread = 0.001});
  unsigned total = 0;
  while (const unsigned launches = rule.next(0)) {
    EXPECT_LE(launches, std::max(4u, total));  // at most as many again
    for (unsigned i = 0; i < launches; ++i) {
      rule.add(std::vector{(total + i) % 2 == 0 ? 10.0 : 20.0}, false);
    }
    total += launches;
  }
  EXPECT_EQ(total, 30u);
  EXPECT_FALSE(rule.settled());
}

TEST(StoppingRule, WhatIsClearlySlowerIsCutShort) {
  StoppingRule rule({.least = 4, .most = 40, .target_spread = 0.0001, .abort_above_us = 10});
  rule.add_rough(15);
  EXPECT_EQ(rule.next(0), 4u);
  rule.add(std::vector{12.0, 13.0, 10.5, 14.0}, false);
  EXPECT_EQ(rule.next(0), 0u);
  EXPECT_TRUE(rule.cut_short());
  EXPECT_THAT(rule.times_us(), SizeIs(4));
}

TEST(StoppingRule, OneFastLaunchIsEnoughToGoOn) {
  StoppingRule rule({.least = 4, .most = 40, .target_spread = 0.0001, .abort_above_us = 10});
  rule.add(std::vector{12.0, 13.0, 10.1, 14.0}, false);  // within the margin
  EXPECT_GT(rule.next(0), 0u);
  EXPECT_FALSE(rule.cut_short());
}

TEST(StoppingRule, AFirstLaunchSeveralTimesTooSlowIsEnough) {
  StoppingRule rule({.least = 4, .most = 40, .abort_above_us = 10});
  rule.add_rough(1000);
  EXPECT_EQ(rule.next(0), 0u);
  EXPECT_TRUE(rule.cut_short());
  EXPECT_THAT(rule.times_us(), ElementsAre(1000));
}

TEST(StoppingRule, TheTimeIsLimited) {
  StoppingRule rule({.least = 10, .most = 100, .max_seconds = 1});
  rule.add_rough(400'000);  // 0.4 s each: two fit
  EXPECT_EQ(rule.next(0), 2u);
  rule.add(std::vector{400'000.0, 400'000.0}, false);
  EXPECT_EQ(rule.next(0.8), 0u);
  StoppingRule one({.least = 10, .most = 100, .max_seconds = 0.1});
  one.add_rough(5'000'000);
  EXPECT_EQ(one.next(0), 1u);  // one there must be
}

TEST(StoppingRule, ThrottledLaunchesAreRepeatedButNotForEver) {
  StoppingRule rule(exactly(5));
  EXPECT_EQ(rule.next(0), 5u);
  rule.add(std::vector<double>(5, 20.0), true);
  EXPECT_EQ(rule.discarded(), 5u);
  EXPECT_EQ(rule.next(0), 5u);
  rule.add(std::vector<double>(5, 10.0), false);
  EXPECT_EQ(rule.next(0), 0u);
  EXPECT_THAT(rule.times_us(), testing::Each(10.0));

  StoppingRule always(exactly(5));
  unsigned batches = 0;
  for (; always.next(0) > 0 && batches < 100; ++batches) {
    always.add(std::vector<double>(5, 20.0), true);
  }
  EXPECT_EQ(batches, 4u);
  EXPECT_EQ(always.discarded(), 15u);
  EXPECT_THAT(always.times_us(), SizeIs(5));
}

}  // namespace
}  // namespace burin::measure
