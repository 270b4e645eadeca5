#include "model/fit/published_program.h"

#include <algorithm>

#include "base/format.h"
#include "formula/rational/occupancy.h"

namespace burin::model {
namespace {

struct PublishedModel {
  std::string_view name;
  std::vector<formula::NamedExpression> (*definitions)();
};
constexpr PublishedModel kModels[] = {{"mwp-cwp", mwp_cwp_definitions},
                                      {"sim 2012", sim_definitions}};

// What a metric can be at all: a fitted function may leave that far from its samples.
struct MetricRange {
  std::string_view name;
  std::string_view least;
  std::string_view most;  // "": any
};
constexpr MetricRange kRanges[] = {{"request_sectors", "1", "32"},
                                   {"miss_share", "0", "1"},
                                   {"memory_parallelism", "1", ""},
                                   {"warp_instructions", "1", ""}};

std::string within_range(std::string_view metric, const std::string& value) {
  const auto* range = std::ranges::find(kRanges, metric, &MetricRange::name);
  if (range == std::end(kRanges)) return fmt::format("max(0, {})", value);
  const std::string bounded = fmt::format("max({}, {})", range->least, value);
  return range->most.empty() ? bounded : fmt::format("min({}, {})", range->most, bounded);
}

double mean_of(const PublishedMetric& metric, std::span<const CountedTime> launches) {
  double sum = 0;
  for (const CountedTime& launch : launches) sum += metric.of(launch.counts);
  return sum / static_cast<double>(launches.size());
}

}  // namespace

std::span<const std::string_view> published_model_names() {
  static constexpr std::string_view kNames[] = {kModels[0].name, kModels[1].name};
  return kNames;
}

Result<void> write_published_program(std::string_view model, std::span<const MetricFit> metrics,
                                     std::span<const CountedTime> launches,
                                     formula::RationalProgram& program) {
  const auto* chosen = std::ranges::find(kModels, model, &PublishedModel::name);
  if (chosen == std::end(kModels)) return Error{fmt::format("there is no model '{}'", model)};
  if (launches.empty()) return Error{"no launch could be counted: the model has no metrics"};
  if (program.grid.empty()) return Error{fmt::format("{} needs the grid", model)};
  program.definitions = formula::occupancy_definitions(
      std::to_string(program.registers),
      fmt::format("{} + {}", program.shared, program.shared_bytes.to_string()));
  program.inputs = formula::occupancy_inputs();
  for (std::string& input : published_inputs()) program.inputs.push_back(std::move(input));
  const auto define = [&](std::string name, const std::string& value) -> Result<void> {
    Result<formula::Expression> parsed = formula::Expression::parse(value);
    if (!parsed) return parsed.error().within(name);
    program.definitions.push_back({std::move(name), *parsed});
    return {};
  };
  if (Result<void> done = define("blocks", "grid_x * grid_y * grid_z"); !done) return done;
  for (const PublishedMetric& metric : published_metrics()) {
    const auto fitted = std::ranges::find(metrics, metric.name, &MetricFit::name);
    const std::string value =
        fitted == metrics.end() ? formula::shortest(mean_of(metric, launches)) : fitted->fit.text;
    Result<void> done = define(std::string(metric.name), within_range(metric.name, value));
    if (!done) return done;
  }
  for (formula::NamedExpression& definition : chosen->definitions()) {
    program.definitions.push_back(std::move(definition));
  }
  const std::string time =
      fmt::format("{} if fits else 1e12", std::string(program.definitions.back().name));
  program.time_us = *formula::Expression::parse(time);
  program.per_shape.clear();
  program.axes.clear();
  return formula::check(program);
}

}  // namespace burin::model
