#include "model/fit/fit_shapes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>

#include "base/format.h"
#include "base/text.h"
#include "model/fit/size_distance.h"

namespace burin::model {
namespace {

using formula::Expression;
using formula::Shape;

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kReach = 16;  // times the work, for points by the rank model

// To six digits, for a person to read.
std::vector<double> rounded(const std::vector<double>& values) {
  std::vector<double> result;
  for (const double value : values) result.push_back(std::stod(fmt::format("{:.6g}", value)));
  return result;
}

class ShapeFitter {
 public:
  ShapeFitter(const ShapeTimes& times, const ShapeTimes* predicted, const ShapeFitOptions& options)
      : times_(times), predicted_(predicted), options_(options) {}

  Result<ShapeFit> run() {
    choose_rank_model();
    if (Result<void> done = fit_reference(); !done) return done.error();
    if (Result<void> done = write_program(); !done) return done.error();
    SizeLosses losses(times_, fit_.ranks, options_.losses);
    losses.add_samples();
    if (predicted_ != nullptr) {
      losses.add_predicted(*predicted_);
    } else {
      losses.add_extrapolated(kReach);
    }
    fit_.emulator_error = losses.emulator_error();
    spread_points(losses);
    write_table();
    return std::move(fit_);
  }

 private:
  void choose_rank_model() {
    const ShapeTimes usual = times_.only(usual_sizes(times_.sizes));
    for (const RankKind kind : rank_kinds()) fit_.models.push_back(judge_rank_model(kind, usual));
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
    fit_.ranks = fit_rank_model(fit_.chosen, usual);
  }

  // The fastest time as a function of the product of all sizes or of one of them.
  Result<void> fit_reference() {
    std::vector<std::string> axes = times_.names;
    if (times_.names.size() > 1) axes.emplace_back("work");
    std::optional<RationalFit> best;
    Error why{"there are no times"};
    for (std::size_t axis = axes.size(); axis-- > 0;) {
      std::vector<FitPoint> points;
      for (const std::size_t size : usual_sizes(times_.sizes)) {
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
    RankModel ranks = fit_.ranks;
    // Shapes that were sampled at other proportions alone have the ratios of these.
    const RankModel everywhere = fit_rank_model(RankKind::kWeighted, times_);
    for (std::size_t shape = 0; shape < ranks.slope.size(); ++shape) {
      if (!std::isinf(ranks.slope[shape])) continue;
      ranks.slope[shape] = everywhere.slope[shape];
      ranks.offset_us[shape] = 0;
    }
    program.per_shape = {{"slope", rounded(ranks.slope)}, {"offset_us", rounded(ranks.offset_us)}};
    const Result<Expression> reference = Expression::parse(fit_.reference.text);
    if (!reference) return reference.error();
    program.definitions.push_back({"reference_us", *reference});
    program.time_us = *Expression::parse("slope * reference_us + offset_us");
    return formula::check(program);
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

  // A grid over the sizes between the smallest and the largest known, on logarithmic axes.
  void spread_points(const SizeLosses& losses) {
    const std::vector<SizeLosses::SizePoint>& known = losses.points();
    constexpr double kMaxPoints = 400;
    const std::size_t count = times_.names.size();
    std::vector<std::vector<std::int64_t>> values(count);
    const double each = std::pow(kMaxPoints, 1 / static_cast<double>(count));
    for (std::size_t i = 0; i < count; ++i) {
      std::int64_t least = known[0].sizes[i];
      std::int64_t most = least;
      for (const SizeLosses::SizePoint& point : known) {
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
      add_table_point(sizes, losses.at(sizes), 1);
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
      add_table_point(known[i].sizes, known[i].loss, weight);
    }
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
