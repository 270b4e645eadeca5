#include "tune/spec.h"

#include <algorithm>
#include <array>

#include "base/format.h"
#include "base/text.h"
#include "launch/launch.h"

namespace burin::tune {
namespace {

using formula::Expression;

constexpr std::string_view kBlockNames[] = {"block_size_x", "block_size_y", "block_size_z"};

bool has_tunable(const Spec& spec, std::string_view name) {
  return std::ranges::any_of(spec.tunables, [&](const Parameter& p) { return p.name == name; });
}

// block_size_x, _y, _z, as far as they are tunable.
std::vector<Expression> default_block(const Spec& spec) {
  std::vector<Expression> block;
  std::size_t used = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (has_tunable(spec, kBlockNames[axis])) used = axis + 1;
  }
  for (std::size_t axis = 0; axis < used; ++axis) {
    const std::string_view text =
        has_tunable(spec, kBlockNames[axis]) ? kBlockNames[axis] : std::string_view("1");
    block.push_back(*Expression::parse(text));
  }
  return block;
}

class NameCheck {
 public:
  explicit NameCheck(std::vector<std::string> known) : known_(std::move(known)) {}

  template <typename Text>
  Result<void> operator()(const Text& text, const std::string& field) const {
    const Result<void> checked = text.check_names(known_);
    if (!checked) return checked.error().within(field);
    return {};
  }
  template <typename Text>
  Result<void> operator()(const std::optional<Text>& text, const std::string& field) const {
    return text ? (*this)(*text, field) : Result<void>{};
  }
  template <typename Text>
  Result<void> operator()(const std::vector<Text>& texts, const std::string& field) const {
    for (const Text& text : texts) {
      if (Result<void> checked = (*this)(text, field); !checked) return checked;
    }
    return {};
  }
  void add(std::string name) { known_.push_back(std::move(name)); }

 private:
  std::vector<std::string> known_;
};

Result<void> check_launch_spec(const LaunchSpec& launch, const NameCheck& check,
                               const std::string& field) {
  if (launch.block.empty()) {
    return Error{fmt::format("{}: block is missing, and no tunable is named block_size_x", field),
                 Exit::kInput};
  }
  if (launch.grid.empty()) return Error{fmt::format("{}: grid is missing", field), Exit::kInput};
  if (launch.block.size() > 3 || launch.grid.size() > 3) {
    return Error{fmt::format("{}: block and grid have at most three dimensions", field),
                 Exit::kInput};
  }
  NameCheck in_repeat = check;
  in_repeat.add("invocation");
  for (const Result<void>& checked :
       {check(launch.block, field + ".block"), check(launch.grid, field + ".grid"),
        check(launch.shared_bytes, field + ".shared_bytes"),
        check(launch.repeat, field + ".repeat"), in_repeat(launch.arguments, field + ".args")}) {
    if (!checked) return checked;
  }
  return {};
}

Result<void> check_sizes(const Spec& spec) {
  for (const formula::Names& size : spec.sizes) {
    const bool same = std::ranges::equal(
        size, spec.sizes.front(), {}, [](const auto& entry) { return entry.first; },
        [](const auto& entry) { return entry.first; });
    if (!same) {
      return Error{"problem.sizes: every size must give the same names", Exit::kInput};
    }
    for (const auto& [name, value] : size) {
      if (has_tunable(spec, name)) {
        return Error{fmt::format("'{}' is both a problem size and a tunable", name), Exit::kInput};
      }
    }
  }
  return {};
}

Result<void> check_saturation(const Spec& spec, const NameCheck& check) {
  if (!spec.saturation) return {};
  const SaturationSpec& from = *spec.saturation;
  if (!from.size.empty() && !spec.sizes.front().contains(from.size)) {
    return Error{fmt::format("saturation.size: [problem] has no '{}'", from.size), Exit::kInput};
  }
  if (from.from.has_value() != from.to.has_value()) {
    return Error{"saturation: from and to are needed together", Exit::kInput};
  }
  if (from.from && (*from.from < 1 || *from.to < *from.from)) {
    return Error{"saturation: from must be at least 1, and to at least from", Exit::kInput};
  }
  if (!(from.step >= 1.05 && from.step <= 1024)) {
    return Error{"saturation.step: a factor from 1.05 to 1024 is needed", Exit::kInput};
  }
  return check(from.work, "saturation.work");
}

}  // namespace

std::vector<Expression> space_restrictions(const Spec& spec) {
  std::vector<Expression> restrictions = spec.restrictions;
  for (const LaunchSpec& launch : spec.launches) {
    std::string threads;
    for (const Expression& axis : launch.block) {
      threads += fmt::format("{}({})", threads.empty() ? "" : " * ", axis.text());
    }
    Result<Expression> limit =
        Expression::parse(fmt::format("{} <= {}", threads, launch::kMaxBlockThreads));
    // Expressions nested as deep as possible cannot stand in parentheses; configure() still refuses
    // such a block.
    if (!limit) continue;
    const bool repeated =
        std::ranges::find(restrictions, limit->text(), &Expression::text) != restrictions.end();
    if (!repeated) restrictions.push_back(std::move(*limit));
  }
  return restrictions;
}

std::string_view name(Language language) {
  return language == Language::kCuda ? "cuda" : "opencl";
}

Result<void> check_spec(Spec& spec) {
  if (spec.sources.empty()) return Error{"source is missing", Exit::kInput};
  if (spec.tunables.empty()) return Error{"[tunables] is missing or empty", Exit::kInput};
  if (spec.launches.empty()) return Error{"[launch] is missing", Exit::kInput};
  if (spec.sizes.empty()) spec.sizes.emplace_back();
  if (Result<void> checked = check_sizes(spec); !checked) return checked;

  std::vector<std::string> names;
  for (const auto& [name, value] : spec.sizes.front()) names.push_back(name);
  for (const Parameter& parameter : spec.tunables) names.push_back(parameter.name);
  NameCheck check(names);
  for (const auto& [name, expression] : spec.derived) {
    if (std::ranges::find(names, name) != names.end()) {
      return Error{fmt::format("names.{}: the name is already used", name), Exit::kInput};
    }
    if (Result<void> checked = check(expression, "names." + name); !checked) return checked;
    check.add(name);
  }
  for (std::size_t i = 0; i < spec.launches.size(); ++i) {
    LaunchSpec& launch = spec.launches[i];
    if (launch.block.empty()) launch.block = default_block(spec);
    const std::string field =
        spec.launches.size() == 1 ? std::string("launch") : fmt::format("launches[{}]", i);
    if (launch.kernel.empty()) {
      return Error{fmt::format("{}: the name of the kernel is missing", field), Exit::kInput};
    }
    if (Result<void> checked = check_launch_spec(launch, check, field); !checked) return checked;
  }
  NameCheck in_objective = check;
  for (const char* measured : {"time_us", "registers", "shared_bytes", "spill_bytes"}) {
    in_objective.add(measured);
  }
  for (const Result<void>& checked :
       {check(spec.restrictions, "restrictions"), check(spec.settings, "launch.settings"),
        check(spec.options, "compile.options"), check(spec.max_registers, "compile.max_registers"),
        check(spec.instance, "compile.instance"),
        in_objective(spec.objective.expression, "objective"), check_saturation(spec, check)}) {
    if (!checked) return checked;
  }
  if (spec.reference.launch) {
    LaunchSpec& launch = *spec.reference.launch;
    if (launch.grid.empty()) launch.grid = spec.launches.front().grid;
    if (launch.block.empty()) launch.block = spec.launches.front().block;
    return check_launch_spec(launch, check, "reference");
  }
  return {};
}

Result<formula::Names> names_of(const Spec& spec, const formula::Names& size, const Space& space,
                                const Point& point) {
  formula::Names names = size;
  for (std::size_t i = 0; i < space.dimensions(); ++i) {
    names[space.parameters()[i].name] = space.value(point, i);
  }
  for (const auto& [name, expression] : spec.derived) {
    Result<formula::Value> value = expression.evaluate(names);
    if (!value) return value.error().within("names." + name);
    names[name] = std::move(*value);
  }
  return names;
}

std::string describe(const formula::Names& size) {
  std::string text;
  for (const auto& [name, value] : size) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name, formula::plain_text(value));
  }
  return text;
}

}  // namespace burin::tune
