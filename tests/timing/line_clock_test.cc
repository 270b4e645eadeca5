// Are lines remembered as long as somebody can still find them taken?
#include "timing/trace/line_clock.h"

#include <gtest/gtest.h>

namespace burin::timing {
namespace {

TEST(LineClock, ALineIsFreeUntilItIsTaken) {
  LineClock clock;
  EXPECT_EQ(clock.of(7), 0);
  clock.of(7) = 12;
  EXPECT_EQ(clock.of(7), 12);
  EXPECT_EQ(clock.of(8), 0);
  EXPECT_EQ(clock.size(), 2u);
}

TEST(LineClock, ManyLinesAreAllKept) {
  constexpr std::uint64_t kLines = 100'000;
  LineClock clock;
  for (std::uint64_t k = 0; k < kLines; ++k) clock.of(k << 12) = static_cast<double>(k + 1);
  EXPECT_EQ(clock.size(), kLines);
  for (std::uint64_t k = 0; k < kLines; ++k) {
    ASSERT_EQ(clock.of(k << 12), static_cast<double>(k + 1)) << k;
  }
}

TEST(LineClock, WhatIsFreeByNowIsForgottenWhereThereIsMuch) {
  LineClock clock;
  for (std::uint64_t k = 0; k < 100; ++k) clock.of(k) = 5;
  clock.forget(10);
  EXPECT_EQ(clock.size(), 100u) << "few lines are no burden";
  for (std::uint64_t k = 0; k < 20'000; ++k) clock.of(k) = static_cast<double>(k);
  clock.forget(18'000);
  EXPECT_EQ(clock.size(), 1999u);
  EXPECT_EQ(clock.of(18'001), 18'001);
  EXPECT_EQ(clock.of(17'000), 0);
}

}  // namespace
}  // namespace burin::timing
