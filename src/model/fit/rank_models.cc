#include "model/fit/rank_models.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace burin::model {
namespace {

constexpr RankKind kKinds[] = {RankKind::kLargest, RankKind::kWeighted, RankKind::kLine};
constexpr std::string_view kKindNames[] = {"largest", "weighted", "line"};

constexpr double kNoRatio = std::numeric_limits<double>::infinity();
constexpr double kDecay = 0.5;      // weight of a size: the square root of its share of the work
constexpr double kMaxLoss = 0.5;    // a shape this much slower is out; how much more says nothing
constexpr double kLineRidge = 0.1;  // keeps offsets small where a few sizes cannot tell

// A sample of one shape.
struct Ratio {
  double ratio = 1;         // its time over the fastest
  double reference_us = 1;  // the fastest
  double weight = 1;
};

std::vector<std::vector<Ratio>> ratios_of(const ShapeTimes& times) {
  std::vector<std::vector<Ratio>> ratios(times.shapes.size());
  double most = -kNoRatio;
  for (const Sizes& size : times.sizes) most = std::max(most, log_work(size));
  for (std::size_t size = 0; size < times.sizes.size(); ++size) {
    const std::size_t best = times.best(size);
    if (best == times.shapes.size()) continue;
    const double reference_us = times.time_us[size][best];
    const double weight = std::exp(kDecay * (log_work(times.sizes[size]) - most));
    for (std::size_t shape = 0; shape < times.shapes.size(); ++shape) {
      if (!times.has(size, shape)) continue;
      ratios[shape].push_back({times.time_us[size][shape] / reference_us, reference_us, weight});
    }
  }
  return ratios;
}

double weighted_ratio(const std::vector<Ratio>& samples) {
  double sum = 0;
  double weights = 0;
  for (const Ratio& sample : samples) {
    sum += sample.weight * std::min(std::log(sample.ratio), kMaxLoss);
    weights += sample.weight;
  }
  return std::exp(sum / weights);
}

// ratio = slope + offset / reference, by least squares on relative errors.
std::pair<double, double> line_through(const std::vector<Ratio>& samples) {
  const double scale = std::ranges::max(samples, {}, &Ratio::reference_us).reference_us;
  double xx = kLineRidge;
  double x1 = 0;
  double one = 0;
  double xy = 0;
  double y1 = 0;
  for (const Ratio& sample : samples) {
    const double weight = sample.weight / (sample.ratio * sample.ratio);
    const double x = scale / sample.reference_us;
    xx += weight * x * x;
    x1 += weight * x;
    one += weight;
    xy += weight * x * sample.ratio;
    y1 += weight * sample.ratio;
  }
  const double determinant = xx * one - x1 * x1;
  const double offset = (xy * one - x1 * y1) / determinant;
  const double slope = (y1 - offset * x1) / one;
  if (slope <= 0) return {weighted_ratio(samples), 0};
  return {slope, offset * scale};
}

}  // namespace

std::string_view name_of(RankKind kind) {
  return kKindNames[static_cast<std::size_t>(kind)];
}

std::span<const RankKind> rank_kinds() {
  return kKinds;
}

RankModel fit_rank_model(RankKind kind, const ShapeTimes& times) {
  const std::vector<std::vector<Ratio>> ratios = ratios_of(times);
  RankModel model{kind, std::vector<double>(ratios.size(), kNoRatio),
                  std::vector<double>(ratios.size(), 0)};
  for (std::size_t shape = 0; shape < ratios.size(); ++shape) {
    if (ratios[shape].empty()) continue;
    switch (kind) {
      case RankKind::kLargest:
        model.slope[shape] = ratios[shape].back().ratio;
        break;
      case RankKind::kWeighted:
        model.slope[shape] = weighted_ratio(ratios[shape]);
        break;
      case RankKind::kLine:
        std::tie(model.slope[shape], model.offset_us[shape]) = line_through(ratios[shape]);
        break;
    }
  }
  return model;
}

RankQuality judge_rank_model(RankKind kind, const ShapeTimes& times) {
  RankQuality quality{.kind = kind, .mean = 1, .worst = 1};
  std::vector<double> errors;
  double sum = 0;
  // A model is asked about all sizes beyond those it has seen: at least one, at most three.
  for (std::size_t seen = times.sizes.size() > 3 ? times.sizes.size() - 3 : 1;
       seen < times.sizes.size(); ++seen) {
    std::vector<std::size_t> kept(seen);
    std::iota(kept.begin(), kept.end(), std::size_t{0});
    const RankModel model = fit_rank_model(kind, times.only(kept));
    for (std::size_t size = seen; size < times.sizes.size(); ++size) {
      const std::size_t best = times.best(size);
      if (best == times.shapes.size()) continue;
      const double reference_us = times.time_us[size][best];
      // Only shapes that were sampled here can be judged.
      std::size_t chosen = best;
      double least = kNoRatio;
      for (std::size_t shape = 0; shape < times.shapes.size(); ++shape) {
        if (!times.has(size, shape) || model.slope[shape] == kNoRatio) continue;
        const double predicted = model.time_us(shape, reference_us);
        const double measured = times.time_us[size][shape];
        if (measured < 1.5 * reference_us) errors.push_back(std::abs(predicted / measured - 1));
        if (predicted < least) {
          least = predicted;
          chosen = shape;
        }
      }
      const double reached = reference_us / times.time_us[size][chosen];
      sum += std::log(reached);
      quality.worst = std::min(quality.worst, reached);
      ++quality.cases;
    }
  }
  if (quality.cases > 0) quality.mean = std::exp(sum / static_cast<double>(quality.cases));
  if (!errors.empty()) {
    const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
    std::ranges::nth_element(errors, middle);
    quality.error = *middle;
  }
  return quality;
}

std::size_t RankModel::best(double reference_us) const {
  std::size_t best = 0;
  for (std::size_t shape = 1; shape < slope.size(); ++shape) {
    if (time_us(shape, reference_us) < time_us(best, reference_us)) best = shape;
  }
  return best;
}

}  // namespace burin::model
