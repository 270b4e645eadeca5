// The search that climbs problem sizes: where it starts, which sizes it visits, who survives.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "model/saturate/ladder.h"

namespace burin::model {
namespace {

// 10 µs and a thousand units per µs.
std::vector<SizeSample> ladder_curve(double overhead_us) {
  std::vector<SizeSample> samples;
  for (double work = 1024; work <= 1 << 24; work *= 4) {
    samples.push_back({.size = work, .work = work, .time_us = overhead_us + work / 1000});
  }
  return samples;
}

std::vector<double> times_of(const std::vector<SizeSample>& samples) {
  std::vector<double> times;
  for (const SizeSample& sample : samples) times.push_back(sample.time_us);
  return times;
}

TEST(SaturationLadder, StartsWhereEveryCurveHasLeftTheGround) {
  const std::vector<std::vector<SizeSample>> samples{ladder_curve(10), ladder_curve(80)};
  std::vector<Saturation> found;
  for (const std::vector<SizeSample>& curve : samples) {
    found.push_back(find_saturation(curve, {.target = curve.back()}));
  }
  const auto start = [&](std::size_t curves, double share) {
    return ladder_start(std::span(samples).first(curves), std::span(found).first(curves),
                        {.start_share = share});
  };
  EXPECT_EQ(start(1, 0.2), 4096);
  EXPECT_EQ(start(1, 0.5), 16384);
  EXPECT_EQ(start(2, 0.2), 65536);
  EXPECT_EQ(start(2, 0.9), 1 << 20);
  found.back().share.clear();  // no plateau
  EXPECT_FALSE(start(2, 0.2));
}

TEST(SaturationLadder, NoRungCostsMoreThanTheFirst) {
  const std::vector<double> times = times_of(ladder_curve(10));
  for (std::size_t start = 0; start < times.size(); ++start) {
    const std::vector<Rung> rungs = plan_ladder(times, start, 1000, {.finalists = 1});
    ASSERT_FALSE(rungs.empty());
    EXPECT_EQ(rungs.front().configurations, 1000u);
    EXPECT_EQ(rungs.back().size, times.size() - 1);
    const double first = 1000 * times[rungs.front().size];
    for (std::size_t i = 1; i < rungs.size(); ++i) {
      EXPECT_GE(times[rungs[i].size], 3 * times[rungs[i - 1].size]);
      const auto kept = static_cast<double>(rungs[i].configurations);
      EXPECT_LE((kept - 1) * times[rungs[i].size], first);
    }
  }
}

TEST(SaturationLadder, KeepsEnoughFinalists) {
  const std::vector<double> times{1, 100, 10000};
  const std::vector<Rung> rungs = plan_ladder(times, 0, 50, {.finalists = 5});
  ASSERT_EQ(rungs.size(), 3u);
  EXPECT_EQ(rungs[1].configurations, 5u);
  EXPECT_EQ(rungs[2].configurations, 5u);
  EXPECT_EQ(plan_ladder(times, 0, 3, {.finalists = 5}).back().configurations, 3u);
  EXPECT_EQ(plan_ladder(times, 2, 50, {}).size(), 1u);
  EXPECT_TRUE(plan_ladder(times, 3, 50, {}).empty());
  EXPECT_TRUE(plan_ladder({}, 0, 50, {}).empty());
}

TEST(SaturationLadder, TimesOfSizesThatWereNotRun) {
  const std::vector<SizeSample> all = ladder_curve(10);
  const std::span<const SizeSample> few = std::span(all).first(3);
  const std::vector<double> fitted = times_over_sizes(all, few, fit_times(few));
  ASSERT_EQ(fitted.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_NEAR(fitted[i], all[i].time_us, 1e-6);
  const std::vector<double> scaled = times_over_sizes(all, few, std::nullopt);
  EXPECT_NEAR(scaled.back(), few.back().time_us * all.back().work / few.back().work, 1e-6);
}

TEST(SaturationLadder, ProjectsBeyondTheOverhead) {
  // The second one has a longer start and a higher rate.
  const Climb plain{.rungs = {{.work = 1, .time_us = 11}, {.work = 4, .time_us = 14}}};
  const Climb coarsened{.rungs = {{.work = 1, .time_us = 20.5}, {.work = 4, .time_us = 22}}};
  EXPECT_DOUBLE_EQ(projected_time_us(plain, 100), 110);
  EXPECT_DOUBLE_EQ(projected_time_us(coarsened, 100), 70);
  const std::vector<Climb> climbs{plain, {}, coarsened};
  EXPECT_EQ(choose_survivors(climbs, 100, 1), (std::vector<std::size_t>{2}));
  EXPECT_EQ(choose_survivors(climbs, 5, 5), (std::vector<std::size_t>{0, 2}));
  EXPECT_TRUE(std::isinf(projected_time_us({}, 100)));
  // One rung, or one that left a cache: in proportion.
  EXPECT_DOUBLE_EQ(projected_time_us({.rungs = {{.work = 2, .time_us = 3}}}, 10), 15);
  EXPECT_DOUBLE_EQ(
      projected_time_us({.rungs = {{.work = 1, .time_us = 1}, {.work = 2, .time_us = 6}}}, 10), 30);
}

}  // namespace
}  // namespace burin::model
