#include "measure/clock_history.h"

#include <gtest/gtest.h>

#include <vector>

namespace burin::measure {
namespace {

using Mhz = std::vector<unsigned>;

TEST(ClockHistory, ABatchBelowTheUsualClockIsLow) {
  ClockHistory history;
  EXPECT_FALSE(history.is_low(Mhz{900}));  // nothing to compare with
  for (int i = 0; i < 3; ++i) history.add(Mhz{1980, 1980, 345});
  EXPECT_TRUE(history.is_low(Mhz{1800}));
  EXPECT_FALSE(history.is_low(Mhz{1900}));
  EXPECT_FALSE(history.is_low(Mhz{1980, 1980, 345}));  // one low sample is not the median
  EXPECT_FALSE(history.is_low(Mhz{}));
}

TEST(ClockHistory, AClockThatStaysLowBecomesUsual) {
  ClockHistory history;
  for (int i = 0; i < 10; ++i) history.add(Mhz{1980});
  for (int i = 0; i < 200; ++i) history.add(Mhz{1500});
  EXPECT_FALSE(history.is_low(Mhz{1500}));
}

}  // namespace
}  // namespace burin::measure
