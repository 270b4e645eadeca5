// Carving itself: fronts, thresholds, clusters, guards, reasons; random samples; speculation.
#include "model/carve/carve.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "machine/load.h"
#include "model/carve/blind_spots.h"
#include "model/carve/outcome.h"
#include "model/carve/random_sample.h"
#include "model/carve/speculate.h"

namespace burin::model {
namespace {

tune::Space square_space(std::size_t side) {
  std::vector<formula::Value> values;
  for (std::size_t i = 0; i < side; ++i) values.emplace_back(static_cast<std::int64_t>(i));
  std::vector<tune::Point> points;
  for (std::uint16_t a = 0; a < side; ++a) {
    for (std::uint16_t b = 0; b < side; ++b) points.push_back({a, b});
  }
  return tune::Space::of_points({{"a", values}, {"b", values}}, points);
}

// A configuration that takes `cycles` of issue on every SM.
Counted counted_at(tune::Point point, double cycles) {
  LaunchCounts counts;
  counts.blocks = 132 * 32;
  counts.warps = 4;
  counts.threads = 128;
  counts.resident_blocks = 8;
  counts.instructions = cycles;
  counts.issue_cycles = cycles;
  counts.alone_cycles = cycles;
  counts.sectors = counts.ideal_sectors = 4;
  return {.point = std::move(point), .launches = {counts}};
}

TEST(ParetoFront, PublishedRuleNeedsToBeWorseOnEveryAxis) {
  const std::vector<AxisPoint> points = {{2, 1}, {1, 2}, {1, 1}, {0.5, 0.5}};
  EXPECT_EQ(pareto_front(points, 2, Dominance::kEvery), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(pareto_front(points, 2, Dominance::kAny), (std::vector<std::size_t>{0, 1}));
}

TEST(ParetoFront, AThirdAxisSavesAPoint) {
  const std::vector<AxisPoint> points = {{2, 2, 1}, {1, 1, 3}};
  EXPECT_EQ(pareto_front(points, 2, Dominance::kAny).size(), 1u);
  EXPECT_EQ(pareto_front(points, 3, Dominance::kAny).size(), 2u);
}

TEST(ParetoFront, DistanceIsTheFactorOnTheNearestAxis) {
  const std::vector<AxisPoint> points = {{2, 2}, {1, 1.6}};
  const std::vector<std::size_t> front = {0};
  EXPECT_NEAR(distance_to(front, points, 1, 2).distance, 0.25, 1e-12);
  EXPECT_EQ(distance_to(front, points, 0, 2).distance, 0);
}

class CarveTest : public ::testing::Test {
 protected:
  CarveTest() {
    for (std::uint64_t i = 0; i < space_.size(); ++i) {
      const tune::Point point = space_.at(i);
      configurations_.push_back(counted_at(point, 1000 + 100 * point[0] + 10 * point[1]));
    }
  }
  Result<Carving> run(const CarveOptions& options) {
    return carve(configurations_, space_, machine_, options);
  }

  machine::Machine machine_ = *machine::load_machine("h200");
  tune::Space space_ = square_space(10);
  std::vector<Counted> configurations_;
};

TEST_F(CarveTest, KeepsTheShareAndTheBest) {
  const Result<Carving> carving = run({.keep = 10, .guards = 2});
  ASSERT_TRUE(carving.ok());
  EXPECT_EQ(carving->kept.size(), 10u);
  EXPECT_EQ(carving->kept.front(), 0u);
  EXPECT_EQ(std::ranges::count(carving->verdicts, Fate::kGuard, &Verdict::fate), 2);
  for (const Verdict& verdict : carving->verdicts) {
    EXPECT_TRUE(is_kept(verdict.fate) || !verdict.reason.empty());
  }
}

TEST_F(CarveTest, UncoalescedOnesGoOnlyWhereCoalescedOnesExist) {
  configurations_[0].launches[0].sectors = 32;  // the fastest by every metric
  Result<Carving> carving = run({.keep = 10});
  ASSERT_TRUE(carving.ok());
  EXPECT_EQ(carving->verdicts[0].fate, Fate::kThreshold);
  EXPECT_EQ(carving->verdicts[0].reason, "uncoalesced: 8.0 sectors are accessed where 1 would do");
  for (Counted& counted : configurations_) counted.launches[0].sectors = 32;
  carving = run({.keep = 10});
  ASSERT_TRUE(carving.ok());
  EXPECT_EQ(carving->kept.front(), 0u);
}

TEST_F(CarveTest, AThresholdThatNothingMeetsIsNamed) {
  const Result<Threshold> threshold = parse_threshold("occupancy=0.9");
  ASSERT_TRUE(threshold.ok());
  const Result<Carving> carving = run({.thresholds = {*threshold}});
  ASSERT_FALSE(carving.ok());
  EXPECT_EQ(carving.error().message,
            "no configuration is left after the threshold occupancy=0.9; the first one has "
            "occupancy 0.5, less than 0.9");
}

TEST_F(CarveTest, RelativeThresholdsComeFromTheBest) {
  configurations_[5].launches[0].spill_bytes = 64;
  const Result<Carving> carving = run({.thresholds = {*parse_threshold("spills=1x")}, .keep = 10});
  ASSERT_TRUE(carving.ok());
  EXPECT_EQ(carving->verdicts[5].fate, Fate::kThreshold);
  EXPECT_FALSE(parse_threshold("speed=1").ok());
  EXPECT_FALSE(parse_threshold("spills").ok());
}

TEST_F(CarveTest, FailedConfigurationsKeepTheirReason) {
  configurations_[0].status = tune::Status::kCompile;
  configurations_[0].reason = "too much shared data";
  const Result<Carving> carving = run({.keep = 10});
  ASSERT_TRUE(carving.ok());
  EXPECT_EQ(carving->verdicts[0].reason, "compile: too much shared data");
  for (Counted& counted : configurations_) counted = configurations_[0];
  EXPECT_FALSE(run({}).ok());
}

TEST_F(CarveTest, OneRepresentsThoseThatCannotBeToldApart) {
  for (Counted& counted : configurations_) counted = counted_at(counted.point, 1000);
  const Result<Carving> carving = run({.guards = 0});
  ASSERT_TRUE(carving.ok());
  EXPECT_EQ(carving->kept.size(), 1u);
  EXPECT_EQ(carving->verdicts[1].fate, Fate::kSame);
  // With room, more of them stay.
  EXPECT_EQ(run({.keep = 10, .guards = 2})->kept.size(), 10u);
}

TEST_F(CarveTest, ParametersThatMetricsCannotSeeAreNamed) {
  for (Counted& counted : configurations_) {
    counted = counted_at(counted.point, 1000 + 100 * counted.point[0]);
    counted.predicted_us = 100 + 10 * counted.point[0] + 20 * counted.point[1];
  }
  const Result<Carving> carving = run({.keep = 10});
  const std::vector<BlindSpot> spots = blind_spots(space_, configurations_, *carving);
  ASSERT_EQ(spots.size(), 1u);
  EXPECT_EQ(spots[0].parameter, "b");
  EXPECT_NEAR(spots[0].largest, 280.0 / 100, 1e-9);
}

TEST(RandomSample, ExpectationIsExact) {
  const RandomSample random({1, 2, 4});
  EXPECT_NEAR(random.expected(1), (1 + 0.5 + 0.25) / 3, 1e-12);
  EXPECT_NEAR(random.expected(2), (1 + 1 + 0.5) / 3, 1e-12);  // {1,2} {1,4} {2,4}
  EXPECT_EQ(random.expected(3), 1);
  EXPECT_EQ(random.needed(0.9), 3u);
  EXPECT_NEAR(random.percentile(1, 2), 1.0 / 3, 1e-12);
  // One that failed never is the best.
  EXPECT_NEAR(RandomSample({1, INFINITY}).expected(1), 0.5, 1e-12);
}

TEST(Outcome, JudgesASelection) {
  const std::vector<double> times = {4, 1, 2, 8};
  const std::vector<double> costs = {1, 1, 1, 7};
  const std::vector<std::size_t> kept = {0, 2};
  const Outcome outcome = judge(kept, times, costs);
  EXPECT_EQ(outcome.best, 2u);
  EXPECT_EQ(outcome.share_of_best, 0.5);
  EXPECT_EQ(outcome.pruned, 0.5);
  EXPECT_NEAR(*outcome.cost_saved, 0.8, 1e-12);
  EXPECT_EQ(outcome.picks_to_90, 0u);  // never
}

TEST(Speculation, FindsTheBestWithoutCompilingAll) {
  const tune::Space space = square_space(20);
  Speculation speculation(space, 120, 0);
  std::set<tune::Point> compiled;
  double best = INFINITY;
  for (auto points = speculation.next(); !points.empty(); points = speculation.next()) {
    for (const tune::Point& point : points) {
      compiled.insert(point);
      const double cycles = 1000 + std::pow(point[0] - 13.0, 2) + 3 * std::pow(point[1] - 6.0, 2);
      best = std::min(best, cycles);
      speculation.learn(point, cycles);
    }
  }
  EXPECT_EQ(compiled.size(), 120u);
  EXPECT_EQ(best, 1000);
}

}  // namespace
}  // namespace burin::model
