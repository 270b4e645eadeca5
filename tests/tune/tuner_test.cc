// The loop: budgets, order, recording, resuming, and the final among the best.
#include "tune/tuner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>

namespace burin::tune {
namespace {

Space line(std::size_t points) {
  Parameter parameter{.name = "x", .values = {}};
  std::vector<Point> all;
  for (std::size_t i = 0; i < points; ++i) {
    parameter.values.emplace_back(static_cast<std::int64_t>(i));
    all.push_back({static_cast<std::uint16_t>(i)});
  }
  return Space::of_points({parameter}, all);
}

// Ends work on the points in the order in which it likes: the newest first, unless told otherwise.
class BackwardLab : public Lab {
 public:
  explicit BackwardLab(std::size_t width) : width_(width) {}
  std::size_t width() const override { return width_; }
  void submit(const Point& point, const TrialLimits& limits) override {
    open_.push_back(point);
    most_open_ = std::max(most_open_, open_.size());
    limits_.push_back(limits.best_time_us);
  }
  Result<Trial> wait() override {
    if (broken_after_ == 0) return Error{"the device is gone", Exit::kDevice};
    --broken_after_;
    Trial trial{.point = newest_first_ ? open_.back() : open_.front()};
    trial.disturbed = disturbed_;
    newest_first_ ? open_.pop_back() : open_.pop_front();
    measured_.push_back(trial.point);
    if (trial.point[0] % 5 == 4) {
      trial.status = Status::kRuntime;
      trial.reason = "an illegal memory access";
    } else {
      trial.time_us = trial.objective = 100 + std::abs(trial.point[0] - 13.0);
    }
    return trial;
  }
  Result<std::vector<double>> measure_again(const Point& point) override {
    ++again_;
    // 12 turns out to be faster than 13.
    if (point[0] == 12) return std::vector<double>{99, 99.1, 98.9};
    return std::vector<double>{101, 101.1, 100.9};
  }

  std::size_t width_;
  std::size_t broken_after_ = 1000;
  std::deque<Point> open_;
  std::size_t most_open_ = 0;
  std::vector<Point> measured_;
  std::vector<double> limits_;
  int again_ = 0;
  bool disturbed_ = false;
  bool newest_first_ = true;
};

std::unique_ptr<Strategy> exhaustive(const Space& space, std::size_t ahead) {
  return std::move(*make_strategy("exhaustive", space, {.ahead = ahead}));
}

TEST(Tuner, MeasuresEveryPointOnceAndTellsInOrder) {
  const Space space = line(20);
  BackwardLab lab(4);
  std::vector<Point> recorded;
  TuneOptions options{.ahead = 4, .finalists = 0};
  options.record = [&](const Trial& trial) -> Result<void> {
    recorded.push_back(trial.point);
    return {};
  };
  const auto strategy = exhaustive(space, 4);
  const Result<Tuned> tuned = tune(*strategy, lab, options);
  ASSERT_TRUE(tuned);
  ASSERT_EQ(tuned->trials.size(), 20u);
  for (std::size_t i = 0; i < 20; ++i) EXPECT_EQ(tuned->trials[i].point[0], i);
  EXPECT_EQ(lab.most_open_, 4u);
  EXPECT_EQ(recorded, lab.measured_);
  EXPECT_EQ(tuned->ended, Ended::kExhausted);
  EXPECT_EQ(tuned->trials[*tuned->best].point[0], 13);
  // Once something has worked, slower configurations may be given up.
  EXPECT_TRUE(std::isinf(lab.limits_.front()));
  EXPECT_EQ(lab.limits_.back(), 100);
}

TEST(Tuner, ResumesFromKnownTrialsWithoutMeasuringThemAgain) {
  const Space space = line(20);
  BackwardLab first(3);
  first.broken_after_ = 8;
  std::vector<Trial> kept;
  TuneOptions options{.ahead = 3, .finalists = 0};
  options.record = [&](const Trial& trial) -> Result<void> {
    kept.push_back(trial);
    return {};
  };
  const Result<Tuned> lost = tune(*exhaustive(space, 3), first, options);
  ASSERT_FALSE(lost);
  EXPECT_EQ(kept.size(), 8u);

  BackwardLab second(3);
  options.known = kept;
  const Result<Tuned> tuned = tune(*exhaustive(space, 3), second, options);
  ASSERT_TRUE(tuned);
  EXPECT_EQ(tuned->trials.size(), 20u);
  EXPECT_EQ(second.measured_.size(), 12u);
  std::set<Point> all(first.measured_.begin(), first.measured_.end());
  all.insert(second.measured_.begin(), second.measured_.end());
  EXPECT_EQ(all.size(), 20u);
}

TEST(Tuner, ASearchTakesTheSameWayHoweverTheAnswersCome) {
  const Space space = line(60);
  const auto points_of = [&](const std::vector<Trial>& known, bool one_by_one) {
    BackwardLab lab(one_by_one ? 1 : 4);
    if (one_by_one) lab.newest_first_ = false;
    const auto strategy = std::move(*make_strategy("surrogate", space, {.seed = 3, .ahead = 4}));
    TuneOptions options{.max_trials = 30, .ahead = 4, .finalists = 0};
    options.known = known;
    return std::move(*tune(*strategy, lab, options)).trials;
  };
  const std::vector<Trial> trials = points_of({}, false);
  const std::vector<Trial> in_order = points_of({}, true);
  const std::vector<Trial> resumed = points_of(trials, false);
  ASSERT_EQ(trials.size(), 30u);
  for (std::size_t i = 0; i < trials.size(); ++i) {
    EXPECT_EQ(trials[i].point, in_order[i].point) << i;
    EXPECT_EQ(trials[i].point, resumed[i].point) << i;
  }
}

TEST(Tuner, StopsAtTheBudgetAndWhenInterrupted) {
  const Space space = line(20);
  BackwardLab lab(1);
  const Result<Tuned> some = tune(*exhaustive(space, 1), lab, {.max_trials = 7, .finalists = 0});
  ASSERT_TRUE(some);
  EXPECT_EQ(some->trials.size(), 7u);
  EXPECT_EQ(some->ended, Ended::kTrials);

  BackwardLab other(2);
  TuneOptions options{.ahead = 2, .finalists = 0};
  options.interrupted = [&] { return other.measured_.size() >= 3; };
  const Result<Tuned> cut = tune(*exhaustive(space, 2), other, options);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->ended, Ended::kInterrupted);
  EXPECT_LE(cut->trials.size(), 5u);
  EXPECT_TRUE(other.open_.empty());  // what was begun is ended
}

TEST(Tuner, TheFinalDecides) {
  const Space space = line(20);
  BackwardLab lab(1);
  const Result<Tuned> tuned = tune(*exhaustive(space, 1), lab, {.finalists = 3, .rounds = 5});
  ASSERT_TRUE(tuned);
  ASSERT_TRUE(tuned->final);
  EXPECT_EQ(tuned->final->finalists.size(), 3u);
  EXPECT_EQ(lab.again_, 15);
  EXPECT_EQ(tuned->trials[*tuned->best].point[0], 12);
  EXPECT_GT(tuned->final->confidence, 0.99);
}

// Times that other processes disturbed do not decide who is in the final.
TEST(Tuner, AfterDisturbedTrialsTheBestAreMeasuredAgainHoweverCloseTheyAre) {
  const Space space = line(20);
  for (const bool disturbed : {false, true}) {
    BackwardLab lab(1);
    lab.disturbed_ = disturbed;
    const Result<Tuned> tuned =
        tune(*exhaustive(space, 1), lab, {.finalists = 9, .rounds = 1, .close = 0.015});
    ASSERT_TRUE(tuned && tuned->final);
    EXPECT_EQ(tuned->final->finalists.size(), disturbed ? 9u : 2u);
  }
}

TEST(Tuner, NothingWorks) {
  const Space space =
      Space::of_points({{.name = "x",
                         .values = {std::int64_t{0}, std::int64_t{1}, std::int64_t{2},
                                    std::int64_t{3}, std::int64_t{4}}}},
                       {{4}});
  BackwardLab lab(1);
  const Result<Tuned> tuned = tune(*exhaustive(space, 1), lab, {});
  ASSERT_TRUE(tuned);
  EXPECT_FALSE(tuned->best);
  EXPECT_EQ(tuned->trials.size(), 1u);
}

TEST(Finalists, ConfidenceIsTheShareOfResamplesWithinOnePercent) {
  const Finalist steady{.point = {0}, .times_us = std::vector<double>(9, 100.0)};
  Finalist slower{.point = {1}, .times_us = std::vector<double>(9, 103.0)};
  EXPECT_EQ(winner_confidence(std::vector{steady, slower}, 0), 1.0);
  EXPECT_EQ(winner_confidence(std::vector{steady, slower}, 1), 0.0);
  // Half of the slower one's samples are far faster: often its median is, too.
  slower.times_us = {90, 90, 90, 90, 103, 103, 103, 103, 103};
  const double confidence = winner_confidence(std::vector{steady, slower}, 0);
  EXPECT_GT(confidence, 0.4);
  EXPECT_LT(confidence, 0.9);
}

}  // namespace
}  // namespace burin::tune
