#include "timing/result/time_ratio.h"

#include <gtest/gtest.h>

namespace burin::timing {
namespace {

TEST(TimeRatio, ALargeDifferenceIsABetAndASmallOneIsNot) {
  EXPECT_EQ(verdict_of(time_ratio({200, "dram"}, {100, "dram"}), false), Verdict::kSlower);
  EXPECT_EQ(verdict_of(time_ratio({100, "dram"}, {200, "dram"}), false), Verdict::kFaster);
  EXPECT_EQ(verdict_of(time_ratio({103, "dram"}, {100, "dram"}), false), Verdict::kUnclear);
  EXPECT_EQ(verdict_of(time_ratio({103, "dram"}, {100, "dram"}), true), Verdict::kSame);
}

TEST(TimeRatio, TheIntervalOfTheInverseIsTheInverse) {
  const TimeRatio forth = time_ratio({130, "dram"}, {100, "latency"});
  const TimeRatio back = time_ratio({100, "latency"}, {130, "dram"});
  EXPECT_NEAR(forth.ratio * back.ratio, 1, 1e-12);
  EXPECT_NEAR(forth.low * back.high, 1, 1e-12);
  EXPECT_LT(forth.low, 1.3);
  EXPECT_GT(forth.high, 1.3);
}

TEST(TimeRatio, WhatIsLessCertainHasAWiderInterval) {
  const double alike = time_ratio({120, "dram"}, {100, "dram"}).high;
  const double different = time_ratio({120, "dram"}, {100, "latency"}).high;
  const double unknown = time_ratio({120, "unknown"}, {100, "unknown"}).high;
  const double deferred = time_ratio({120, "dram", true}, {100, "dram"}).high;
  const double elsewhere = time_ratio({120, "dram", false, false}, {100, "dram"}).high;
  EXPECT_LT(alike, different);
  EXPECT_LT(alike, unknown);
  EXPECT_LT(unknown, deferred);
  EXPECT_LT(alike, elsewhere);
}

}  // namespace
}  // namespace burin::timing
