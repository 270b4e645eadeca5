// The score of strategies, against hand-computed values and sampling.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tune/search/random.h"
#include "tuning/score.h"

namespace burin::tuning {
namespace {

// One parameter; times in µs, 0 for a failure; all cost the same unless told.
tune::RecordedSpace space_of(const std::vector<double>& times,
                             const std::vector<double>& costs = {}) {
  tune::Parameter parameter{"x", {}};
  std::vector<tune::Point> points;
  tune::RecordedSpace recorded;
  for (std::size_t i = 0; i < times.size(); ++i) {
    parameter.values.emplace_back(static_cast<std::int64_t>(i));
    points.push_back({static_cast<std::uint16_t>(i)});
    tune::RecordedPoint point;
    if (times[i] > 0) {
      point.time_us = times[i];
    } else {
      point.status = tune::Status::kRuntime;
    }
    point.compile_seconds = costs.empty() ? 1 : costs[i];
    recorded.points.push_back(point);
  }
  recorded.space = tune::Space::of_points({parameter}, points);
  return recorded;
}

TEST(RandomBaseline, OfFourPointsByHand) {
  // 1, 2, 3, 10: after one evaluation 16/4; after two, 1 in 3 of 6 pairs, 2 in 2, 3 in 1;
  // after three, 1 in 3 of 4 triples.
  const RandomBaseline baseline(space_of({3, 1, 10, 2}));
  EXPECT_DOUBLE_EQ(baseline.optimum_us(), 1);
  EXPECT_DOUBLE_EQ(baseline.median_us(), 2.5);
  EXPECT_DOUBLE_EQ(baseline.best_after(1), 4);
  EXPECT_DOUBLE_EQ(baseline.best_after(2), (3 * 1 + 2 * 2 + 1 * 3) / 6.0);
  EXPECT_DOUBLE_EQ(baseline.best_after(3), (3 * 1 + 1 * 2) / 4.0);
  EXPECT_DOUBLE_EQ(baseline.best_after(1.5), (4 + 10 / 6.0) / 2);
  // Three give 1.25, four give 1: 1 + 0.05 × 1.5 is reached in between.
  EXPECT_NEAR(baseline.cutoff_evaluations(), 3 + (1.25 - 1.075) / 0.25, 1e-12);
}

TEST(RandomBaseline, FailuresArePaidFor) {
  // 1 and 3 of four: after one evaluation nothing in half of the cases, which counts as the median.
  const RandomBaseline baseline(space_of({0, 1, 0, 3}, {4, 1, 2, 1}));
  EXPECT_DOUBLE_EQ(baseline.median_us(), 2);
  EXPECT_DOUBLE_EQ(baseline.best_after(1), (1 + 3) / 4.0 + 0.5 * 2);
  EXPECT_DOUBLE_EQ(baseline.best_after(2), (3 * 1 + 2 * 3 + 1 * 2) / 6.0);
  EXPECT_DOUBLE_EQ(baseline.mean_cost_seconds(), 2);
}

TEST(RandomBaseline, AgreesWithSampling) {
  tune::Random random(1);
  std::vector<double> times;
  for (int i = 0; i < 60; ++i) times.push_back(random.chance(0.2) ? 0 : 10 + 90 * random.unit());
  const RandomBaseline baseline(space_of(times));
  std::vector<std::size_t> order(times.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  constexpr int kRepeats = 20000;
  std::vector<double> sums(11, 0);
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    random.shuffle(order);
    double best = 0;
    for (std::size_t n = 1; n <= 10; ++n) {
      const double time = times[order[n - 1]];
      if (time > 0 && (best == 0 || time < best)) best = time;
      sums[n] += best == 0 ? baseline.median_us() : best;
    }
  }
  ASSERT_GE(baseline.cutoff_evaluations(), 9);
  for (const std::size_t n : {1, 2, 5, 10}) {
    EXPECT_NEAR(baseline.best_after(static_cast<double>(n)), sums[n] / kRepeats, 0.4) << n;
  }
}

TEST(Score, IsOneForTheOptimumAtOnceAndLinearInBetween) {
  const RandomBaseline baseline(space_of({3, 1, 10, 2}));
  EXPECT_NEAR(score(baseline, {{{{1.0, 1.0}}, 1}}), 1, 1e-12);
  const double found_two = score(baseline, {{{{1.0, 2.0}}, 1}});
  EXPECT_LT(found_two, 1);
  // The mean over seeds is taken of what was found.
  const double mixed = score(baseline, {{{{1.0, 1.0}}, 1}, {{{1.0, 2.0}}, 1}});
  EXPECT_NEAR(mixed, (1 + found_two) / 2, 1e-9);
}

TEST(Score, ByHandWhereTheBaselineIsAStraightLine) {
  // 1 and 3: 2 after one evaluation, 1 after two; the cut-off is 1.05, at 1.95 evaluations. Who has
  // found 3 has (b - 3) / (b - 1) = 1 - 2 / (b - 1), with b from 2 to 1.05: its mean is
  // 1 - 2 ln(1 / 0.05) / 0.95.
  const RandomBaseline baseline(space_of({1, 3}));
  EXPECT_NEAR(baseline.cutoff_evaluations(), 1.95, 1e-12);
  EXPECT_NEAR(score(baseline, {{{{0.5, 3.0}}, 1}}), 1 - 2 * std::log(20) / 0.95, 0.03);
}

TEST(Score, OfASpaceWithoutDifferencesIsZero) {
  const RandomBaseline baseline(space_of({2, 2, 2}));
  EXPECT_EQ(score(baseline, {{{{1.0, 2.0}}, 1}}), 0);
}

TEST(Score, RandomSearchScoresAboutZero) {
  tune::Random random(9);
  std::vector<double> times;
  for (int i = 0; i < 300; ++i) times.push_back(100 + 900 * random.unit());
  const tune::RecordedSpace recorded = space_of(times);
  const RandomBaseline baseline(recorded);
  std::vector<ReplayedRun> runs;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    runs.push_back(replay(recorded, baseline, "random", seed));
  }
  EXPECT_NEAR(score(baseline, runs), 0, 0.1);
}

TEST(Replay, EndsAtTheCutOffOrWithTheSpace) {
  const tune::RecordedSpace recorded = space_of({3, 1, 10, 2, 5, 6, 7, 8});
  const RandomBaseline baseline(recorded);
  const ReplayedRun run = replay(recorded, baseline, "exhaustive", 0);
  EXPECT_LE(static_cast<double>(run.trials), baseline.cutoff_evaluations() + 1);
  ASSERT_EQ(run.improvements.size(), 2u);
  EXPECT_EQ(run.improvements[0].seconds, 1);
  EXPECT_EQ(run.improvements[0].time_us, 3);
  EXPECT_EQ(run.improvements[1].seconds, 2);
  EXPECT_EQ(run.improvements[1].time_us, 1);
  const ReplayedRun ahead = replay(recorded, baseline, "exhaustive", 0, 3);
  EXPECT_EQ(ahead.improvements.size(), 2u);
}

}  // namespace
}  // namespace burin::tuning
