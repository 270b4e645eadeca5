#include "tuning/score.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <deque>

#include "tune/search/strategy.h"

namespace burin::tuning {

RandomBaseline::RandomBaseline(const tune::RecordedSpace& recorded)
    : count_(recorded.points.size()) {
  double cost = 0;
  for (const tune::RecordedPoint& point : recorded.points) {
    cost += point.cost_seconds();
    if (point.status == tune::Status::kOk) sorted_us_.push_back(point.time_us);
  }
  assert(!sorted_us_.empty());
  std::ranges::sort(sorted_us_);
  const std::size_t valid = sorted_us_.size();
  median_us_ = (sorted_us_[(valid - 1) / 2] + sorted_us_[valid / 2]) / 2;
  mean_cost_seconds_ = cost / static_cast<double>(count_);

  const double target = optimum_us() + (median_us_ - optimum_us()) * (1 - kCutOff);
  expected_us_ = {median_us_, expected_best(1)};
  while (expected_us_.back() > target && expected_us_.size() <= count_) {
    const double before = expected_us_.back();
    const auto evaluations = static_cast<double>(expected_us_.size() - 1);
    expected_us_.push_back(expected_best(expected_us_.size()));
    const double part = std::min(1.0, (before - target) / (before - expected_us_.back()));
    cutoff_evaluations_ = evaluations + part;
  }
}

double RandomBaseline::expected_best(std::size_t evaluations) const {
  const auto n = static_cast<double>(evaluations);
  const auto all = static_cast<double>(count_);
  double expected = 0;
  double none_better = 1;  // the probability that none of the better ranks was drawn
  for (std::size_t i = 0; i < sorted_us_.size() && none_better > 0; ++i) {
    const double drawn = std::min(1.0, n / (all - static_cast<double>(i)));
    expected += none_better * drawn * sorted_us_[i];
    none_better *= 1 - drawn;
  }
  return expected + none_better * median_us_;
}

double RandomBaseline::best_after(double evaluations) const {
  const std::size_t last = expected_us_.size() - 1;
  const double n = std::clamp(evaluations, 1.0, static_cast<double>(last));
  const auto below = static_cast<std::size_t>(n);
  if (below == last) return expected_us_[last];
  const double part = n - static_cast<double>(below);
  return expected_us_[below] * (1 - part) + expected_us_[below + 1] * part;
}

ReplayedRun replay(const tune::RecordedSpace& recorded, const RandomBaseline& baseline,
                   std::string_view strategy, std::uint64_t seed, std::size_t ahead) {
  Result<std::unique_ptr<tune::Strategy>> search =
      tune::make_strategy(strategy, recorded.space, {.seed = seed, .ahead = ahead});
  ReplayedRun run;
  if (!search) return run;
  double now = 0;
  double best = std::numeric_limits<double>::infinity();
  std::deque<tune::Point> open;
  while (now <= baseline.cutoff_seconds()) {
    while (open.size() < ahead) {
      std::optional<tune::Point> point = (*search)->ask();
      if (!point) break;
      open.push_back(std::move(*point));
    }
    if (open.empty()) break;
    const tune::RecordedPoint& answer = recorded.at(open.front());
    now += answer.cost_seconds();
    ++run.trials;
    if (answer.time_us < best) {
      best = answer.time_us;
      run.improvements.push_back({now, best});
    }
    (*search)->tell(open.front(), answer.time_us, answer.cost_seconds());
    open.pop_front();
  }
  return run;
}

double score(const RandomBaseline& baseline, const std::vector<ReplayedRun>& runs) {
  const double begin = baseline.mean_cost_seconds();
  const double end = baseline.cutoff_seconds();
  std::vector<std::size_t> next(runs.size(), 0);
  double sum = 0;
  for (std::size_t step = 0; step < kTimePoints; ++step) {
    const double part = static_cast<double>(step) / static_cast<double>(kTimePoints - 1);
    const double now = begin + (end - begin) * part;
    double found = 0;
    for (std::size_t r = 0; r < runs.size(); ++r) {
      const std::vector<Improvement>& improvements = runs[r].improvements;
      while (next[r] < improvements.size() && improvements[next[r]].seconds <= now) ++next[r];
      found += next[r] == 0 ? baseline.median_us() : improvements[next[r] - 1].time_us;
    }
    found /= static_cast<double>(runs.size());
    const double random = baseline.best_after(now / baseline.mean_cost_seconds());
    const double gap = random - baseline.optimum_us();
    sum += gap > 0 ? (random - found) / gap : 0;  // none where all times are the same
  }
  return sum / static_cast<double>(kTimePoints);
}

}  // namespace burin::tuning
