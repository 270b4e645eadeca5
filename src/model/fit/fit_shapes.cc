#include "model/fit/fit_shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "base/format.h"
#include "base/text.h"
#include "model/fit/explore.h"

namespace burin::model {
namespace {

using formula::Expression;
using formula::Shape;

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kOwnShare = 0.7;  // of a sampled size's own ratios; the rest is that of all sizes
constexpr double kReach = 16;      // times the work, for points by the rank model

// log of each shape's time over the fastest, at a size of `times`; infinite where not sampled.
std::vector<double> losses_at(const ShapeTimes& times, std::size_t size) {
  std::vector<double> losses(times.shapes.size(), kNever);
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

// To six digits, for a person to read.
std::vector<double> rounded(const std::vector<double>& values) {
  std::vector<double> result;
  for (const double value : values) result.push_back(std::stod(fmt::format("{:.6g}", value)));
  return result;
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

class ShapeFitter {
 public:
  ShapeFitter(const ShapeTimes& times, const ShapeTimes* predicted, const ShapeFitOptions& options)
      : times_(times), predicted_(predicted), options_(options) {}

  Result<ShapeFit> run() {
    choose_rank_model();
    if (Result<void> done = fit_reference(); !done) return done.error();
    if (Result<void> done = write_program(); !done) return done.error();
    add_sampled_points();
    if (predicted_ != nullptr) {
      add_predicted_points();
    } else {
      add_model_points();
    }
    spread_points();
    write_table();
    return std::move(fit_);
  }

 private:
  void choose_rank_model() {
    for (const RankKind kind : rank_kinds()) fit_.models.push_back(judge_rank_model(kind, times_));
    // The mean of all sizes unless another is better by more than chance.
    const RankQuality* best = &fit_.models[1];
    for (const RankQuality& quality : fit_.models) {
      if (quality.mean > best->mean * options_.better) best = &quality;
    }
    if (fit_.models.front().cases == 0) {
      fit_.chosen = RankKind::kLargest;
      fit_.notes.emplace_back(
          "one size was sampled: how the ranking changes with the size is not known");
    } else {
      fit_.chosen = best->kind;
    }
    fit_.ranks = fit_rank_model(fit_.chosen, times_);
  }

  // The fastest time as a function of the product of all sizes or of one of them.
  Result<void> fit_reference() {
    std::vector<std::string> axes = times_.names;
    if (times_.names.size() > 1) axes.emplace_back("work");
    std::optional<RationalFit> best;
    Error why{"there are no times"};
    for (std::size_t axis = axes.size(); axis-- > 0;) {
      std::vector<FitPoint> points;
      for (std::size_t size = 0; size < times_.sizes.size(); ++size) {
        const std::size_t shape = times_.best(size);
        if (shape == times_.shapes.size()) continue;
        points.push_back({{axis_value(times_.sizes[size], axis)},
                          times_.time_us[size][shape],
                          static_cast<std::uint32_t>(size)});
      }
      Result<RationalFit> fit = fit_rational(
          {axes[axis]}, points, {.max_numerator = 2, .max_denominator = 1, .positive = true});
      if (!fit) {
        why = fit.error();
        continue;
      }
      if (!best || fit->held_out < best->held_out) best = std::move(*fit);
    }
    if (!best) return why;
    fit_.reference = std::move(*best);
    return {};
  }

  // Sizes, then their product where there are several.
  double axis_value(const Sizes& sizes, std::size_t axis) const {
    return axis < sizes.size() ? static_cast<double>(sizes[axis]) : std::exp(log_work(sizes));
  }

  Result<void> write_program() {
    formula::RationalProgram& program = fit_.program;
    for (const std::string& name : times_.names) {
      program.sizes.push_back({name, *Expression::parse(name)});
    }
    if (times_.names.size() > 1) {
      const Result<Expression> work =
          Expression::parse(fmt::format("{}", fmt::join(times_.names, " * ")));
      if (!work) return work.error();
      program.axes.push_back({"work", *work});
    }
    for (const std::string& text : options_.grid) {
      Result<Expression> blocks = Expression::parse(text);
      if (!blocks) return blocks.error().within("the grid");
      program.grid.push_back(std::move(*blocks));
    }
    for (const std::string& text : options_.constraints) {
      Result<Expression> constraint = Expression::parse(text);
      if (!constraint) return constraint.error().within("a constraint");
      program.constraints.push_back(std::move(*constraint));
    }
    program.shapes = times_.shapes;
    program.per_shape = {{"slope", rounded(fit_.ranks.slope)},
                         {"offset_us", rounded(fit_.ranks.offset_us)}};
    const Result<Expression> reference = Expression::parse(fit_.reference.text);
    if (!reference) return reference.error();
    program.definitions.push_back({"reference_us", *reference});
    program.time_us = *Expression::parse("slope * reference_us + offset_us");
    return formula::check(program);
  }

  // A size with the loss of each shape there.
  struct SizePoint {
    Sizes sizes;
    std::vector<double> loss;
  };
  void add_point(const Sizes& sizes, std::vector<double> loss) {
    known_.push_back({sizes, std::move(loss)});
  }
  void add_table_point(const Sizes& sizes, std::vector<double> loss, double weight) {
    TablePoint point;
    for (std::size_t axis = 0; axis < fit_.program.axis_count(); ++axis) {
      point.axes.push_back(axis_value(sizes, axis));
    }
    point.loss = std::move(loss);
    point.weight = weight;
    points_.push_back(std::move(point));
  }

  // The losses at any size: those of the known sizes, the nearer ones counting more. A shape that
  // is not known at some of them has the mean of the others.
  std::vector<double> interpolated(const Sizes& sizes) const {
    std::vector<double> sum(times_.shapes.size(), 0);
    std::vector<double> weights(times_.shapes.size(), 0);
    double all = 0;
    for (const SizePoint& point : known_) {
      double square = 0;
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        const double step =
            std::log(static_cast<double>(sizes[i]) / static_cast<double>(point.sizes[i]));
        square += step * step;
      }
      const double weight = std::exp(-std::sqrt(square) / options_.spread) + 1e-12;
      all += weight;
      for (std::size_t shape = 0; shape < sum.size(); ++shape) {
        if (std::isinf(point.loss[shape])) continue;
        sum[shape] += weight * point.loss[shape];
        weights[shape] += weight;
      }
    }
    for (std::size_t shape = 0; shape < sum.size(); ++shape) {
      // Known only far away is not known.
      const bool known = weights[shape] >= 0.3 * all;
      sum[shape] =
          !known ? kNever
                 : sum[shape] / weights[shape] + prior_loss(times_.shapes[shape], options_.prior);
    }
    return sum;
  }

  // A grid over the sizes between the smallest and the largest known, on logarithmic axes.
  void spread_points() {
    constexpr double kMaxPoints = 400;
    const std::size_t count = times_.names.size();
    std::vector<std::vector<std::int64_t>> values(count);
    const double each = std::pow(kMaxPoints, 1 / static_cast<double>(count));
    for (std::size_t i = 0; i < count; ++i) {
      std::int64_t least = known_[0].sizes[i];
      std::int64_t most = least;
      for (const SizePoint& point : known_) {
        least = std::min(least, point.sizes[i]);
        most = std::max(most, point.sizes[i]);
      }
      const double steps = std::clamp(std::floor(each) - 1, 1.0, 20.0);
      const double ratio = std::log(static_cast<double>(most) / static_cast<double>(least));
      for (double step = 0; step <= steps; ++step) {
        const auto value = static_cast<std::int64_t>(
            std::llround(static_cast<double>(least) * std::exp(ratio * step / steps)));
        if (values[i].empty() || values[i].back() < value) values[i].push_back(value);
      }
    }
    std::vector<std::size_t> at(count, 0);
    for (bool more = true; more;) {
      Sizes sizes;
      for (std::size_t i = 0; i < count; ++i) sizes.push_back(values[i][at[i]]);
      add_table_point(sizes, interpolated(sizes), 1);
      more = false;
      for (std::size_t i = 0; i < count && !more; ++i) {
        more = ++at[i] < values[i].size();
        if (!more) at[i] = 0;
      }
    }
    // At sampled sizes the samples alone decide. They count half as much as the grid.
    const double weight =
        0.5 * static_cast<double>(points_.size()) / static_cast<double>(times_.sizes.size());
    for (std::size_t i = 0; i < times_.sizes.size(); ++i) {
      add_table_point(known_[i].sizes, known_[i].loss, weight);
    }
  }

  double rank_loss(std::size_t shape) const {
    const double slope = fit_.ranks.slope[shape];
    return std::isinf(slope) ? kNever : std::log(std::max(slope, 1e-3));
  }

  void add_sampled_points() {
    const RankModel overall = fit_rank_model(RankKind::kWeighted, times_);
    for (std::size_t size = 0; size < times_.sizes.size(); ++size) {
      std::vector<double> loss = losses_at(times_, size);
      for (std::size_t shape = 0; shape < loss.size(); ++shape) {
        if (std::isinf(loss[shape])) continue;
        loss[shape] = kOwnShare * loss[shape] + (1 - kOwnShare) * std::log(overall.slope[shape]);
      }
      add_point(times_.sizes[size], std::move(loss));
    }
  }

  // Sizes beyond the samples, as the rank model has them.
  void add_model_points() {
    for (const Sizes& sizes : explored_sizes(times_.sizes, kReach)) {
      std::vector<double> loss(times_.shapes.size());
      for (std::size_t shape = 0; shape < loss.size(); ++shape) loss[shape] = rank_loss(shape);
      add_point(sizes, std::move(loss));
    }
  }

  void add_predicted_points() {
    const RankModel overall = fit_rank_model(RankKind::kWeighted, times_);
    // Where each shape of `predicted_` is in `times_`.
    std::map<Shape, std::size_t> place;
    for (std::size_t i = 0; i < times_.shapes.size(); ++i) place[times_.shapes[i]] = i;
    const auto is_sampled = [&](std::size_t size) {
      return std::ranges::find(times_.sizes, predicted_->sizes[size]) != times_.sizes.end();
    };
    // The mean predicted loss of each shape at the sizes that were sampled.
    std::vector<double> before(predicted_->shapes.size(), 0);
    std::vector<double> counts(predicted_->shapes.size(), 0);
    std::vector<double> errors;
    for (std::size_t size = 0; size < predicted_->sizes.size(); ++size) {
      if (!is_sampled(size)) continue;
      const std::vector<double> loss = losses_at(*predicted_, size);
      for (std::size_t shape = 0; shape < loss.size(); ++shape) {
        if (std::isinf(loss[shape])) continue;
        before[shape] += loss[shape];
        counts[shape] += 1;
      }
      add_errors(size, loss, place, errors);
    }
    double doubt = 0;
    if (!errors.empty()) {
      const auto middle = errors.begin() + static_cast<std::ptrdiff_t>(errors.size() / 2);
      std::ranges::nth_element(errors, middle);
      doubt = *middle / options_.doubted;
    }
    fit_.emulator_error = doubt * options_.doubted;
    const double believed = options_.believed / (1 + doubt * doubt);
    for (std::size_t size = 0; size < predicted_->sizes.size(); ++size) {
      if (is_sampled(size)) continue;
      const std::vector<double> now = losses_at(*predicted_, size);
      std::vector<double> loss(times_.shapes.size(), kNever);
      for (std::size_t shape = 0; shape < now.size(); ++shape) {
        const auto known = place.find(predicted_->shapes[shape]);
        if (known == place.end() || std::isinf(now[shape]) || counts[shape] == 0) continue;
        const double measured = std::log(overall.slope[known->second]);
        const double change = beyond(now[shape] - before[shape] / counts[shape], options_.ignored);
        double corrected = measured + believed * change;
        // A shape that is said to gain ends no better than it is predicted to be.
        if (change < 0) corrected = std::max(corrected, std::min(measured, now[shape]));
        loss[known->second] = corrected + options_.direct * now[shape];
      }
      if (std::ranges::any_of(loss, [](double value) { return !std::isinf(value); })) {
        add_point(predicted_->sizes[size], std::move(loss));
      }
    }
  }

  // How far predicted losses are from measured ones at a size that has both.
  void add_errors(std::size_t size, const std::vector<double>& predicted,
                  const std::map<Shape, std::size_t>& place, std::vector<double>& errors) const {
    const auto same = std::ranges::find(times_.sizes, predicted_->sizes[size]);
    const std::vector<double> measured =
        losses_at(times_, static_cast<std::size_t>(same - times_.sizes.begin()));
    std::vector<double> differences;
    for (std::size_t shape = 0; shape < predicted.size(); ++shape) {
      const auto known = place.find(predicted_->shapes[shape]);
      if (known == place.end() || std::isinf(predicted[shape])) continue;
      if (std::isinf(measured[known->second])) continue;
      differences.push_back(predicted[shape] - measured[known->second]);
    }
    if (differences.empty()) return;
    // Both are relative to a fastest shape, which need not be the same.
    std::vector<double> sorted = differences;
    std::ranges::sort(sorted);
    const double middle = sorted[sorted.size() / 2];
    for (const double difference : differences) errors.push_back(std::abs(difference - middle));
  }

  void write_table() {
    fit_.table.table = build_table(points_, {});
    fit_.table.outside = formula::DeviceTable::Outside::kTable;
    for (std::uint32_t axis = 0; axis < times_.names.size(); ++axis) {
      formula::Domain domain{axis, kNever, 0};
      for (const Sizes& sizes : times_.sizes) {
        domain.least = std::min(domain.least, static_cast<double>(sizes[axis]));
        domain.most = std::max(domain.most, static_cast<double>(sizes[axis]));
      }
      fit_.table.domain.push_back(domain);
    }
  }

  const ShapeTimes& times_;
  const ShapeTimes* predicted_;
  const ShapeFitOptions& options_;
  std::vector<SizePoint> known_;
  std::vector<TablePoint> points_;
  ShapeFit fit_;
};

}  // namespace

Result<ShapeFit> fit_shapes(const ShapeTimes& times, const ShapeTimes* predicted,
                            const ShapeFitOptions& options) {
  if (times.sizes.empty() || times.shapes.empty()) return Error{"there are no times to fit"};
  if (times.shapes.size() > formula::kMaxShapes) return Error{"there are more than 1024 shapes"};
  const ShapeTimes promising = times.promising();
  return ShapeFitter(promising, predicted, options).run();
}

}  // namespace burin::model
