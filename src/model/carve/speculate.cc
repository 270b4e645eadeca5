#include "model/carve/speculate.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace burin::model {
namespace {

constexpr double kFirstShare = 0.4;     // of the budget: from all over the space
constexpr std::size_t kRestRounds = 6;  // in which the rest is spent
constexpr int kSweeps = 20;
constexpr double kPrior = 1;   // configurations' worth of doubt about a value's effect
constexpr double kFailed = 3;  // log cycles above the worst: it cannot run
constexpr std::size_t kNeighbours = 8;

}  // namespace

Speculation::Speculation(const tune::Space& space, std::size_t budget, std::uint64_t seed)
    : space_(space), budget_(budget), seed_(seed), order_(space.size()) {
  std::iota(order_.begin(), order_.end(), std::uint64_t{0});
  std::mt19937_64 random(seed_);
  std::ranges::shuffle(order_, random);
}

void Speculation::learn(const tune::Point& point, std::optional<double> cycles) {
  learnt_[point] = cycles;
}

std::vector<tune::Point> Speculation::next() {
  fit();
  std::vector<tune::Point> points;
  if (asked_ >= budget_) return points;
  const auto first =
      static_cast<std::size_t>(std::ceil(kFirstShare * static_cast<double>(budget_)));
  if (asked_ == 0) {
    for (std::size_t i = 0; i < std::min(first, order_.size()); ++i) {
      points.push_back(space_.at(order_[i]));
    }
  } else {
    const std::size_t round = std::max<std::size_t>(1, (budget_ - first) / kRestRounds);
    std::vector<std::pair<double, std::uint64_t>> open;
    for (const std::uint64_t i : order_) {
      const tune::Point point = space_.at(i);
      if (!learnt_.contains(point)) open.emplace_back(estimate(point), i);
    }
    const std::size_t count = std::min({round, budget_ - asked_, open.size()});
    std::ranges::partial_sort(open, open.begin() + static_cast<std::ptrdiff_t>(count));
    for (std::size_t i = 0; i < count; ++i) points.push_back(space_.at(open[i].second));
  }
  asked_ += points.size();
  return points;
}

// Effects are fitted one parameter at a time, round after round, until they no longer change.
void Speculation::fit() {
  known_.clear();
  double worst = 0;
  for (const auto& [point, cycles] : learnt_) {
    if (cycles) worst = std::max(worst, std::log(std::max(1.0, *cycles)));
  }
  for (const auto& [point, cycles] : learnt_) {
    known_.push_back({.point = point,
                      .log_cycles = cycles ? std::log(std::max(1.0, *cycles)) : worst + kFailed});
  }
  effects_.clear();
  for (const tune::Parameter& parameter : space_.parameters()) {
    effects_.emplace_back(parameter.values.size(), 0.0);
  }
  mean_ = 0;
  for (const Known& known : known_) mean_ += known.log_cycles;
  if (!known_.empty()) mean_ /= static_cast<double>(known_.size());
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    for (std::size_t p = 0; p < effects_.size(); ++p) {
      std::vector<double> sums(effects_[p].size(), 0.0);
      std::vector<double> counts(effects_[p].size(), kPrior);
      for (const Known& known : known_) {
        const std::uint16_t value = known.point[p];
        sums[value] += known.log_cycles - additive(known.point) + effects_[p][value];
        ++counts[value];
      }
      for (std::size_t v = 0; v < sums.size(); ++v) effects_[p][v] = sums[v] / counts[v];
    }
  }
  spreads_.assign(effects_.size(), 0);
  for (std::size_t p = 0; p < effects_.size(); ++p) {
    const auto [low, high] = std::ranges::minmax(effects_[p]);
    spreads_[p] = 0.05 + high - low;
  }
  for (Known& known : known_) known.residual = known.log_cycles - additive(known.point);
}

double Speculation::additive(const tune::Point& point) const {
  double sum = mean_;
  for (std::size_t p = 0; p < effects_.size(); ++p) sum += effects_[p][point[p]];
  return sum;
}

// Parameters that matter count more; the distance of values is that of their places in the list.
double Speculation::distance(const tune::Point& a, const tune::Point& b) const {
  double sum = 0;
  for (std::size_t p = 0; p < effects_.size(); ++p) {
    const double range = std::max<double>(1, static_cast<double>(effects_[p].size()) - 1);
    const double apart = std::abs(static_cast<double>(a[p]) - static_cast<double>(b[p])) / range;
    sum += spreads_[p] * (apart > 0 ? 0.3 + apart : 0);
  }
  return sum;
}

double Speculation::estimate(const tune::Point& point) const {
  std::vector<std::pair<double, double>> near;  // distance, residual
  for (const Known& known : known_) near.emplace_back(distance(point, known.point), known.residual);
  const std::size_t count = std::min(kNeighbours, near.size());
  std::ranges::partial_sort(near, near.begin() + static_cast<std::ptrdiff_t>(count));
  double weights = 0;
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double weight = 1 / (0.02 + near[i].first);
    weights += weight;
    sum += weight * near[i].second;
  }
  return std::exp(additive(point) + (weights > 0 ? sum / weights : 0));
}

}  // namespace burin::model
