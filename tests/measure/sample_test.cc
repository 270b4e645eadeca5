#include "measure/sample.h"

#include <gtest/gtest.h>

#include <vector>

namespace burin::measure {
namespace {

TEST(Sample, MedianAndQuartilesIgnoreOutliers) {
  const Sample s = summarize(std::vector{4.0, 1.0, 2.0, 3.0, 100.0});
  EXPECT_EQ(s.count, 5u);
  EXPECT_EQ(s.median, 3);
  EXPECT_EQ(s.lower_quartile, 2);
  EXPECT_EQ(s.upper_quartile, 4);
  EXPECT_EQ(s.deviation, 1);
  EXPECT_EQ(s.least, 1);
  EXPECT_EQ(s.most, 100);
  EXPECT_DOUBLE_EQ(s.spread(), 1.0 / 3);
}

TEST(Sample, BetweenTwoValues) {
  const Sample s = summarize(std::vector{1.0, 2.0});
  EXPECT_EQ(s.median, 1.5);
  EXPECT_EQ(s.lower_quartile, 1.25);
}

TEST(Sample, OneOrNone) {
  EXPECT_EQ(summarize(std::vector{7.0}).median, 7);
  EXPECT_EQ(summarize(std::vector{7.0}).deviation, 0);
  EXPECT_EQ(summarize({}).count, 0u);
  EXPECT_EQ(summarize({}).spread(), 0);
}

}  // namespace
}  // namespace burin::measure
