#include "model/saturate/plan.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/format.h"
#include "base/text.h"
#include "tune/configuration.h"

namespace burin::model {
namespace {

using formula::Names;
using tune::Point;
using tune::Space;
using tune::Spec;

constexpr std::string_view kThreadCoarsening = "coarsen_thread_";
constexpr std::uint64_t kMaxSearched = 1 << 16;  // points looked at for a default

Error no_sizes(const Spec& spec) {
  return Error{fmt::format("{}: no problem sizes to compare: give several in [problem] sizes, a "
                           "range in [saturation], or --vary NAME=FROM:TO",
                           spec.path),
               Exit::kInput};
}

// Names whose values differ between the sizes.
std::vector<std::string> varying(const std::vector<Names>& sizes) {
  std::vector<std::string> names;
  for (const auto& [name, value] : sizes.front()) {
    const bool differs = std::ranges::any_of(
        sizes, [&](const Names& size) { return !formula::equal(size.find(name)->second, value); });
    if (differs) names.push_back(name);
  }
  return names;
}

SizePlan ranged(const Spec& spec, const SizeRange& range) {
  SizePlan plan{.varied = range.name};
  for (const std::int64_t value : geometric_sizes(range.from, range.to, range.step)) {
    Names size = spec.sizes.back();
    size[range.name] = value;
    plan.sizes.push_back(std::move(size));
  }
  return plan;
}

// The range that the spec gives, with the name that is varied.
Result<std::optional<SizeRange>> range_of(const Spec& spec) {
  if (!spec.saturation || !spec.saturation->from) return std::optional<SizeRange>{};
  const tune::SaturationSpec& from = *spec.saturation;
  std::string name = from.size;
  if (name.empty()) {
    if (spec.sizes.front().size() != 1) {
      return Error{fmt::format("{}: saturation.size must name the size that is varied", spec.path),
                   Exit::kInput};
    }
    name = spec.sizes.front().begin()->first;
  }
  return std::optional<SizeRange>{{name, *from.from, *from.to, from.step}};
}

Result<SizePlan> listed(const Spec& spec) {
  const std::vector<std::string> names = varying(spec.sizes);
  if (names.empty()) return no_sizes(spec);
  if (names.size() > 1) {
    return Error{fmt::format("{}: the sizes of [problem] differ in {}; choose one with --vary "
                             "NAME=FROM:TO",
                             spec.path, list_of(names, 4)),
                 Exit::kInput};
  }
  SizePlan plan{.varied = names.front(), .sizes = spec.sizes};
  for (const Names& size : plan.sizes) {
    if (!formula::integer(size.find(plan.varied)->second)) {
      return Error{fmt::format("{}: problem.sizes: {} must be an integer", spec.path, plan.varied),
                   Exit::kInput};
    }
  }
  std::ranges::sort(plan.sizes, {}, [&](const Names& size) {
    return *formula::integer(size.find(plan.varied)->second);
  });
  return plan;
}

Result<void> set_target(const Spec& spec, const std::pair<std::string, std::int64_t>& target,
                        SizePlan& plan) {
  if (target.first != plan.varied) {
    return Error{
        fmt::format("--target: {} is not the size that is varied, {}", target.first, plan.varied),
        Exit::kUsage};
  }
  if (target.second < 1) return Error{"--target: a size is at least 1", Exit::kUsage};
  Names size = plan.sizes.empty() ? spec.sizes.back() : plan.sizes.back();
  size[plan.varied] = target.second;
  std::erase_if(plan.sizes, [&](const Names& known) {
    return *formula::integer(known.find(plan.varied)->second) >= target.second;
  });
  plan.sizes.push_back(std::move(size));
  return {};
}

// The block that the reference launches, if it runs the tuned kernel itself.
std::optional<std::vector<std::int64_t>> reference_block(const Spec& spec, const Names& size) {
  if (!spec.reference.launch || spec.reference.launch->kernel != spec.launches.front().kernel) {
    return std::nullopt;
  }
  std::vector<std::int64_t> block;
  for (const formula::Expression& axis : spec.reference.launch->block) {
    const Result<std::int64_t> value = axis.evaluate_integer(size);
    if (!value) return std::nullopt;
    block.push_back(*value);
  }
  return block;
}

bool has_block(const Spec& spec, const Names& names, const std::vector<std::int64_t>& block) {
  const std::vector<formula::Expression>& axes = spec.launches.front().block;
  for (std::size_t i = 0; i < std::max(axes.size(), block.size()); ++i) {
    const std::int64_t wanted = i < block.size() ? block[i] : 1;
    std::int64_t there = 1;
    if (i < axes.size()) {
      const Result<std::int64_t> value = axes[i].evaluate_integer(names);
      if (!value) return false;
      there = *value;
    }
    if (there != wanted) return false;
  }
  return true;
}

// What a change of the code costs a default: coarsening factors above 1, unrolling, strides.
bool is_code_change(std::string_view name) {
  return name.starts_with("coarsen_") || name.starts_with("unroll@");
}

bool is_plain(const Space& space, const Point& point) {
  for (std::size_t i = 0; i < space.dimensions(); ++i) {
    if (is_code_change(space.parameters()[i].name) && point[i] != 0) return false;
  }
  return true;
}

}  // namespace

std::int64_t SizePlan::value(std::size_t size) const {
  return formula::integer(sizes[size].find(varied)->second).value_or(0);
}

Result<SizePlan> plan_sizes(const Spec& spec, const PlanOptions& options) {
  const Result<std::optional<SizeRange>> own = range_of(spec);
  if (!own) return own.error();
  SizePlan plan;
  if (options.vary) {
    if (!spec.sizes.front().contains(options.vary->name)) {
      return Error{
          fmt::format("--vary: {} has no problem size '{}'", spec.path, options.vary->name),
          Exit::kUsage};
    }
    plan = ranged(spec, *options.vary);
  } else if (*own) {
    plan = ranged(spec, **own);
  } else {
    Result<SizePlan> found = listed(spec);
    if (!found) return found;
    plan = std::move(*found);
  }
  if (options.target) {
    if (Result<void> set = set_target(spec, *options.target, plan); !set) return set.error();
  }
  if (plan.sizes.size() < 2) return no_sizes(spec);
  return plan;
}

Result<WorkUnits> WorkUnits::of(const Spec& spec, const std::optional<std::string>& given,
                                const std::string& varied) {
  WorkUnits work;
  if (given) {
    Result<formula::Expression> parsed = formula::Expression::parse(*given);
    if (!parsed) return Error{"--work: " + parsed.error().message, Exit::kUsage};
    work.expression_ = std::move(*parsed);
    return work;
  }
  if (spec.saturation && spec.saturation->work) {
    work.expression_ = *spec.saturation->work;
    return work;
  }
  if (spec.objective.expression && spec.objective.maximise) {
    work.expression_ = *spec.objective.expression;
    work.unit_ = spec.objective.unit;
    work.from_objective_ = true;
    return work;
  }
  work.expression_ = *formula::Expression::parse(varied);
  work.assumed_ = true;
  return work;
}

Result<double> WorkUnits::at(const Names& names) const {
  Names known = names;
  if (from_objective_) known["time_us"] = std::int64_t{1};
  Result<double> value = expression_.evaluate_number(known);
  if (!value) return value.error().within("the units of work");
  if (from_objective_) {
    known["time_us"] = std::int64_t{2};
    const Result<double> half = expression_.evaluate_number(known);
    if (!half) return half.error().within("the units of work");
    if (std::abs(*half * 2 / *value - 1) > 1e-9) {
      return Error{
          fmt::format("the objective \"{}\" is not work divided by time_us; give the units "
                      "of work in [saturation] work or --work",
                      expression_.text()),
          Exit::kInput};
    }
    *value /= 1e6;  // so that work per second is the objective
  }
  if (!(*value > 0) || !std::isfinite(*value)) {
    return Error{
        fmt::format("the units of work \"{}\" are not a positive number", expression_.text()),
        Exit::kInput};
  }
  return *value;
}

Result<Point> default_point(const Spec& spec, const Names& size, const Space& space) {
  const std::optional<std::vector<std::int64_t>> block = reference_block(spec, size);
  std::optional<Point> plain;
  for (std::uint64_t i = 0; i < std::min(space.size(), kMaxSearched); ++i) {
    Point point = space.at(i);
    if (!is_plain(space, point)) continue;
    if (!plain) plain = point;
    if (!block) break;
    const Result<Names> names = tune::names_of(spec, size, space, point);
    if (names && has_block(spec, *names, *block)) {
      plain = std::move(point);
      break;
    }
  }
  const Point base = plain ? *plain : space.at(0);
  if (!spec.saturation || spec.saturation->config.empty()) return base;
  Result<Point> named = changed_point(space, base, spec.saturation->config);
  if (!named)
    return Error{"saturation.config: " + named.error().message, Exit::kInput}.within(spec.path);
  return named;
}

Result<Point> changed_point(const Space& space, const Point& base, const std::string& text) {
  Point point = base;
  std::vector<bool> given(space.dimensions(), false);
  for (std::string_view part : split(text, ',')) {
    while (part.starts_with(' ')) part.remove_prefix(1);
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    const auto parameter = std::ranges::find(space.parameters(), name, &tune::Parameter::name);
    if (equals == std::string_view::npos || parameter == space.parameters().end()) {
      return Error{fmt::format("'{}' is not a tunable and its value", part), Exit::kUsage};
    }
    const std::string_view wanted = part.substr(equals + 1);
    const auto value = std::ranges::find_if(parameter->values, [&](const formula::Value& v) {
      return formula::plain_text(v) == wanted || formula::to_string(v) == wanted;
    });
    if (value == parameter->values.end()) {
      return Error{fmt::format("{} is not a value of {}", wanted, name), Exit::kUsage};
    }
    const auto index = static_cast<std::size_t>(parameter - space.parameters().begin());
    if (given[index]) return Error{fmt::format("{} is given twice", name), Exit::kUsage};
    given[index] = true;
    point[index] = static_cast<std::uint16_t>(value - parameter->values.begin());
  }
  if (!space.contains(point)) {
    return Error{fmt::format("{} violates a restriction", tune::describe(space, point)),
                 Exit::kUsage};
  }
  return point;
}

std::int64_t thread_coarsening(const Space& space, const Point& point) {
  std::int64_t factor = 1;
  for (std::size_t i = 0; i < space.dimensions(); ++i) {
    if (!space.parameters()[i].name.starts_with(kThreadCoarsening)) continue;
    factor *= formula::integer(space.value(point, i)).value_or(1);
  }
  return factor;
}

std::vector<CoarsenedPoint> coarsened_points(const Space& space, const Point& base) {
  std::vector<std::size_t> axes;
  for (std::size_t i = 0; i < space.dimensions(); ++i) {
    if (space.parameters()[i].name.starts_with(kThreadCoarsening)) axes.push_back(i);
  }
  std::map<std::int64_t, Point> by_factor;
  // All combinations of the axes' values, counted like the digits of a number.
  Point point = base;
  for (const std::size_t axis : axes) point[axis] = 0;
  for (bool more = !axes.empty(); more;) {
    if (space.contains(point)) by_factor.try_emplace(thread_coarsening(space, point), point);
    more = false;
    for (const std::size_t axis : axes) {
      if (++point[axis] < space.parameters()[axis].values.size()) {
        more = true;
        break;
      }
      point[axis] = 0;
    }
  }
  std::vector<CoarsenedPoint> points;
  for (auto& [factor, there] : by_factor) {
    if (factor > 1) points.push_back({factor, std::move(there)});
  }
  return points;
}

}  // namespace burin::model
