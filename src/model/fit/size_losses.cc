#include "model/fit/size_losses.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "model/fit/explore.h"
#include "model/fit/size_distance.h"

namespace burin::model {
namespace {

using formula::Shape;

constexpr double kNotKnown = std::numeric_limits<double>::infinity();
constexpr double kOwnShare = 0.7;  // of a sampled size's own ratios; the rest is that of all sizes
// A shape is known at a size if the samples that have it carry this share of the weight.
constexpr double kKnownShare = 0.3;

// log of each shape's time over the fastest, at a size of `times`; infinite where not sampled.
std::vector<double> losses_at(const ShapeTimes& times, std::size_t size) {
  std::vector<double> losses(times.shapes.size(), kNotKnown);
  const std::size_t best = times.best(size);
  for (std::size_t shape = 0; shape < losses.size(); ++shape) {
    if (!times.has(size, shape)) continue;
    losses[shape] = std::log(times.time_us[size][shape] / times.time_us[size][best]);
  }
  return losses;
}

double beyond(double value, double ignored) {
  return std::copysign(std::max(0.0, std::abs(value) - ignored), value);
}

double prior_loss(const Shape& shape, const ShapePrior& prior) {
  const std::uint32_t warps = (shape[0] * shape[1] * shape[2] + 31) / 32;
  double loss = 0;
  if (warps <= 1) loss += prior.warps_1;
  if (warps == 2) loss += prior.warps_2;
  if (warps >= 16 && warps < 32) loss += prior.warps_16;
  if (warps >= 32) loss += prior.warps_32;
  if (shape[1] * shape[2] > 1 && shape[0] < 32) {
    loss += prior.narrow * (5 - std::log2(static_cast<double>(shape[0])));
  }
  return loss;
}

// The mean of what is known, by weights; infinite where too little of the weight knows the shape.
class WeightedLosses {
 public:
  explicit WeightedLosses(std::size_t shapes) : sum_(shapes, 0), weights_(shapes, 0) {}

  void add(const std::vector<double>& losses, double weight) {
    all_ += weight;
    for (std::size_t shape = 0; shape < losses.size(); ++shape) {
      if (std::isinf(losses[shape])) continue;
      sum_[shape] += weight * losses[shape];
      weights_[shape] += weight;
    }
  }
  std::vector<double> mean() const {
    std::vector<double> result(sum_.size(), kNotKnown);
    for (std::size_t shape = 0; shape < sum_.size(); ++shape) {
      const bool known = weights_[shape] > 0 && weights_[shape] >= kKnownShare * all_;
      if (known) result[shape] = sum_[shape] / weights_[shape];
    }
    return result;
  }

 private:
  std::vector<double> sum_;
  std::vector<double> weights_;
  double all_ = 0;
};

double median_error(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  return *middle;
}

}  // namespace

SizeLosses::SizeLosses(const ShapeTimes& times, const RankModel& ranks, const LossOptions& options)
    : times_(times), ranks_(ranks), options_(options), usual_(usual_sizes(times.sizes)) {
  overall_ = fit_rank_model(RankKind::kWeighted, times_.only(usual_));
}

void SizeLosses::add_samples() {
  for (std::size_t size = 0; size < times_.sizes.size(); ++size) {
    std::vector<double> loss = losses_at(times_, size);
    const bool is_usual = std::ranges::find(usual_, size) != usual_.end();
    for (std::size_t shape = 0; shape < loss.size() && is_usual; ++shape) {
      if (std::isinf(loss[shape])) continue;
      loss[shape] = kOwnShare * loss[shape] + (1 - kOwnShare) * std::log(overall_.slope[shape]);
    }
    points_.push_back({times_.sizes[size], std::move(loss)});
  }
}

// As sampled: the usual sizes through the rank model, the others themselves, by how near their
// proportions are.
std::vector<double> SizeLosses::sampled_losses(const Sizes& sizes) const {
  std::vector<double> usual(times_.shapes.size(), kNotKnown);
  for (std::size_t shape = 0; shape < usual.size(); ++shape) {
    const double slope = ranks_.slope[shape];
    if (!std::isinf(slope)) usual[shape] = std::log(std::max(slope, 1e-3));
  }
  WeightedLosses mean(times_.shapes.size());
  const auto weight_of = [&](std::size_t size) {
    return std::exp(-distance_of(times_.sizes[size], sizes).proportions / options_.spread);
  };
  mean.add(usual, weight_of(usual_.back()));
  for (std::size_t size = 0; size < times_.sizes.size(); ++size) {
    if (std::ranges::find(usual_, size) != usual_.end()) continue;
    mean.add(losses_at(times_, size), weight_of(size));
  }
  return mean.mean();
}

void SizeLosses::add_extrapolated(double reach) {
  for (const Sizes& sizes : explored_sizes(times_.sizes, reach)) {
    points_.push_back({sizes, sampled_losses(sizes)});
  }
}

void SizeLosses::add_predicted(const ShapeTimes& predicted) {
  // Where each shape of `predicted` is in `times_`.
  std::map<Shape, std::size_t> place;
  for (std::size_t i = 0; i < times_.shapes.size(); ++i) place[times_.shapes[i]] = i;
  const auto sampled_at = [&](std::size_t size) {
    return static_cast<std::size_t>(std::ranges::find(times_.sizes, predicted.sizes[size]) -
                                    times_.sizes.begin());
  };
  // How far predicted losses are from measured ones, at sizes that have both. Each is relative to a
  // fastest shape, which need not be the same.
  std::vector<double> errors;
  std::vector<std::size_t> anchors;
  for (std::size_t size = 0; size < predicted.sizes.size(); ++size) {
    if (sampled_at(size) == times_.sizes.size()) continue;
    anchors.push_back(size);
    const std::vector<double> said = losses_at(predicted, size);
    const std::vector<double> measured = losses_at(times_, sampled_at(size));
    std::vector<double> differences;
    for (std::size_t shape = 0; shape < said.size(); ++shape) {
      const auto known = place.find(predicted.shapes[shape]);
      if (known == place.end() || std::isinf(said[shape] + measured[known->second])) continue;
      differences.push_back(said[shape] - measured[known->second]);
    }
    const double middle = median_error(differences);
    for (const double difference : differences) errors.push_back(std::abs(difference - middle));
  }
  emulator_error_ = median_error(errors);
  const double doubt = emulator_error_ / options_.doubted;
  const double believed = options_.believed / (1 + doubt * doubt);
  for (std::size_t size = 0; size < predicted.sizes.size(); ++size) {
    if (sampled_at(size) < times_.sizes.size()) continue;
    const Sizes& sizes = predicted.sizes[size];
    const std::vector<double> now = losses_at(predicted, size);
    const std::vector<double> sampled = sampled_losses(sizes);
    // What was predicted at the sampled sizes, those of near proportions counting more.
    WeightedLosses said(predicted.shapes.size());
    for (const std::size_t anchor : anchors) {
      const double distance = distance_of(predicted.sizes[anchor], sizes).proportions;
      said.add(losses_at(predicted, anchor), std::exp(-distance / options_.spread));
    }
    const std::vector<double> before = said.mean();
    std::vector<double> loss(times_.shapes.size(), kNotKnown);
    bool any = false;
    for (std::size_t shape = 0; shape < now.size(); ++shape) {
      const auto known = place.find(predicted.shapes[shape]);
      if (known == place.end()) continue;
      const double measured = sampled[known->second];
      if (std::isinf(now[shape] + before[shape] + measured)) continue;
      const double change = beyond(now[shape] - before[shape], options_.ignored);
      double corrected = measured + believed * change;
      // A shape that is said to gain ends no better than it is predicted to be.
      if (change < 0) corrected = std::max(corrected, std::min(measured, now[shape]));
      loss[known->second] = corrected + options_.direct * now[shape];
      any = true;
    }
    if (any) points_.push_back({sizes, std::move(loss)});
  }
}

std::vector<double> SizeLosses::at(const Sizes& sizes) const {
  WeightedLosses mean(times_.shapes.size());
  for (const SizePoint& point : points_) {
    mean.add(point.loss, std::exp(-log_distance(point.sizes, sizes) / options_.spread) + 1e-12);
  }
  std::vector<double> losses = mean.mean();
  for (std::size_t shape = 0; shape < losses.size(); ++shape) {
    losses[shape] += prior_loss(times_.shapes[shape], options_.prior);
  }
  return losses;
}

}  // namespace burin::model
