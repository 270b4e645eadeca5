#include "tune/configuration.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/format.h"
#include "tune/code_change.h"
#include "tune/unroll.h"

namespace burin::tune {
namespace {

using formula::Expression;
using formula::Names;

// Launches of one configuration that differ in their arguments: more are surely a mistake.
constexpr std::int64_t kMaxRepeat = 10000;

Result<launch::Dims> dims_of(const std::vector<Expression>& axes, const Names& names,
                             const char* what) {
  launch::Dims dims;
  std::uint32_t* const places[] = {&dims.x, &dims.y, &dims.z};
  for (std::size_t axis = 0; axis < axes.size(); ++axis) {
    const Result<std::int64_t> value = axes[axis].evaluate_integer(names);
    if (!value) return value.error().within(what);
    if (*value < 1 || *value > std::numeric_limits<std::int32_t>::max()) {
      return Error{fmt::format("{} \"{}\" is {}: it must be at least 1 and below 2^31", what,
                               axes[axis].text(), *value),
                   Exit::kInput};
    }
    *places[axis] = static_cast<std::uint32_t>(*value);
  }
  return dims;
}

Result<std::int64_t> integer_of(const std::optional<Expression>& expression, const Names& names,
                                std::int64_t otherwise, std::int64_t least, std::int64_t most,
                                const char* what) {
  if (!expression) return otherwise;
  const Result<std::int64_t> value = expression->evaluate_integer(names);
  if (!value) return value.error().within(what);
  if (*value < least || *value > most) {
    return Error{fmt::format("{} \"{}\" is {}: it must be from {} to {}", what, expression->text(),
                             *value, least, most),
                 Exit::kInput};
  }
  return *value;
}

// The arguments of one launch. `invocation` is known to them. Every invocation but the first of a
// configuration gets the buffers of the first.
Result<void> fill_arguments(const LaunchSpec& spec, const Names& names, bool shares_buffers,
                            ConfiguredStep& step) {
  step.arguments.clear();
  for (const formula::Template& argument : spec.arguments) {
    Result<std::string> text = argument.fill(names);
    if (!text) return text.error().within("args");
    if (shares_buffers && text->starts_with("buf:")) {
      text = fmt::format("@{}", step.arguments.size());
    }
    step.arguments.push_back(std::move(*text));
  }
  Result<std::vector<launch::Argument>> parsed = launch::parse_step_arguments(step.arguments);
  if (!parsed) return parsed.error();
  step.launch.arguments = std::move(*parsed);
  return {};
}

Result<void> add_steps(const LaunchSpec& spec, const Names& names,
                       std::vector<ConfiguredStep>& steps) {
  ConfiguredStep step{.kernel = spec.kernel};
  const Result<launch::Dims> grid = dims_of(spec.grid, names, "grid");
  if (!grid) return grid.error();
  const Result<launch::Dims> block = dims_of(spec.block, names, "block");
  if (!block) return block.error();
  if (block->total() > launch::kMaxBlockThreads) {
    return Error{fmt::format("a block of {} has {} threads; the limit is {}",
                             launch::to_string(*block), block->total(), launch::kMaxBlockThreads),
                 Exit::kInput};
  }
  const Result<std::int64_t> shared =
      integer_of(spec.shared_bytes, names, 0, 0, std::int64_t{1} << 30, "shared_bytes");
  if (!shared) return shared.error();
  const Result<std::int64_t> repeat = integer_of(spec.repeat, names, 1, 1, kMaxRepeat, "repeat");
  if (!repeat) return repeat.error();
  step.launch.grid = *grid;
  step.launch.block = *block;
  step.launch.shared_bytes = static_cast<std::uint64_t>(*shared);

  const bool varies = std::ranges::any_of(spec.arguments, [](const formula::Template& argument) {
    const std::vector<std::string> used = argument.names();
    return std::ranges::find(used, "invocation") != used.end();
  });
  Names in_repeat = names;
  for (std::int64_t invocation = 0; invocation < (varies ? *repeat : 1); ++invocation) {
    in_repeat["invocation"] = invocation;
    if (Result<void> filled = fill_arguments(spec, in_repeat, invocation > 0, step); !filled) {
      return filled;
    }
    if (invocation == 1 && !steps.empty() && &steps.back() != &steps.front() &&
        std::ranges::any_of(steps.back().launch.arguments,
                            [](const launch::Argument& a) { return a.buffer() != nullptr; })) {
      return Error{
          fmt::format("{}: is launched several times and has buffers of its own; give them "
                      "to the first launch and name them @I",
                      spec.kernel),
          Exit::kInput};
    }
    step.repeat = varies ? 1 : static_cast<std::uint64_t>(*repeat);
    steps.push_back(step);
  }
  return {};
}

Result<std::vector<std::string>> fill_all(const std::vector<formula::Template>& texts,
                                          const Names& names, const char* what) {
  std::vector<std::string> filled;
  for (const formula::Template& text : texts) {
    Result<std::string> one = text.fill(names);
    if (!one) return one.error().within(what);
    filled.push_back(std::move(*one));
  }
  return filled;
}

}  // namespace

Result<Configuration> configure(const Spec& spec, const Names& size, const Space& space,
                                const Point& point) {
  Configuration made;
  Result<Names> names = names_of(spec, size, space, point);
  if (!names) return names.error();
  made.names = std::move(*names);
  for (std::size_t i = 0; i < space.dimensions(); ++i) {
    const std::string& name = space.parameters()[i].name;
    if (changes_code(name)) continue;
    if (const std::optional<std::uint32_t> line = unrolled_line(name)) {
      const auto factor = formula::integer(space.value(point, i));
      if (!factor || *factor < 0) {
        return Error{fmt::format("{}: an unroll factor is a whole number", name), Exit::kInput};
      }
      made.unrolls.emplace(*line, *factor);
      continue;
    }
    made.defines.push_back(fmt::format("{}={}", space.parameters()[i].name,
                                       formula::plain_text(space.value(point, i))));
  }
  Result<std::vector<std::string>> options = fill_all(spec.options, made.names, "compile.options");
  if (!options) return options.error();
  made.options = std::move(*options);
  Result<std::vector<std::string>> settings =
      fill_all(spec.settings, made.names, "launch.settings");
  if (!settings) return settings.error();
  made.settings = std::move(*settings);
  const Result<std::int64_t> registers =
      integer_of(spec.max_registers, made.names, 0, 0, 255, "compile.max_registers");
  if (!registers) return registers.error();
  made.max_registers = static_cast<std::uint32_t>(*registers);
  for (const LaunchSpec& launch : spec.launches) {
    if (Result<void> added = add_steps(launch, made.names, made.steps); !added) {
      return added.error();
    }
  }
  if (spec.instance) {
    Result<std::string> instance = spec.instance->fill(made.names);
    if (!instance) return instance.error().within("compile.instance");
    for (ConfiguredStep& step : made.steps) {
      if (step.kernel == spec.launches.front().kernel) step.kernel = *instance;
    }
  }
  return made;
}

Result<ConfiguredStep> configure_reference(const Spec& spec, const Configuration& configuration) {
  LaunchSpec launch = *spec.reference.launch;
  launch.arguments = spec.launches.front().arguments;
  std::vector<ConfiguredStep> steps;
  if (Result<void> added = add_steps(launch, configuration.names, steps); !added) {
    return added.error().within("reference");
  }
  return std::move(steps.front());
}

Result<double> objective_of(const Spec& spec, const Names& names, double time_us,
                            const std::map<std::string, double>& figures) {
  if (!spec.objective.expression) return time_us;
  Names measured = names;
  measured["time_us"] = time_us;
  for (const auto& [name, value] : figures) measured[name] = value;
  const Result<double> value = spec.objective.expression->evaluate_number(measured);
  if (!value) return value.error().within("objective");
  if (!std::isfinite(*value)) {
    return Error{
        fmt::format("objective: \"{}\" is not a finite number", spec.objective.expression->text()),
        Exit::kInput};
  }
  return spec.objective.maximise ? -*value : *value;
}

}  // namespace burin::tune
