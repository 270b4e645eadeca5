#include "base/numbers.h"

#include <gtest/gtest.h>

namespace burin {
namespace {

TEST(Numbers, NoneIsWrittenWithAnExponent) {
  EXPECT_EQ(short_number(0.5), "0.5");
  EXPECT_EQ(short_number(12.44), "12.4");
  EXPECT_EQ(short_number(999.4), "999");
  EXPECT_EQ(short_number(999.7), "1,000");
  EXPECT_EQ(short_number(12'345.6), "12,346");
}

TEST(Numbers, ARangeOfTimesHasOneUnit) {
  EXPECT_EQ(time_range(262.3, 514), "262 to 514 µs");
  EXPECT_EQ(time_range(0.51, 4.5), "0.51 to 4.5 µs");
  EXPECT_EQ(time_range(800, 4500), "800 to 4,500 µs");
  EXPECT_EQ(time_range(8200, 12'400), "8.2 to 12.4 ms");
  EXPECT_EQ(time_range(1.2e6, 4.5e6), "1,200 to 4,500 ms");
}

TEST(Numbers, NoPercentageIsMinusZero) {
  EXPECT_EQ(percent(-0.0001), "0.0 %");
  EXPECT_EQ(percent(-0.0), "0.0 %");
  EXPECT_EQ(percent(-0.001), "-0.1 %");
  EXPECT_EQ(percent(0.583), "58.3 %");
}

}  // namespace
}  // namespace burin
