#include "advise/compare/gate.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/format.h"
#include "base/text.h"
#include "launch/number.h"

namespace burin::advise {
namespace {

struct Sign {
  std::string_view text;
  Gate::Operator meant;
};
// Longer operators first, since ">=" also starts with ">".
constexpr Sign kSigns[] = {
    {">=", Gate::Operator::kAtLeast},
    {"<=", Gate::Operator::kAtMost},
    {">", Gate::Operator::kAbove},
    {"<", Gate::Operator::kBelow},
};

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") + 1 - first);
}

Error wrong(std::string_view text, const std::string& why) {
  return Error{fmt::format("'{}': {}", text, why), Exit::kUsage};
}

Result<void> read_measure(std::string_view word, std::span<const Measure> measures, Gate& gate) {
  const std::size_t colon = word.find(':');
  gate.measure = trimmed(word.substr(0, colon));
  if (colon != std::string_view::npos) gate.part = trimmed(word.substr(colon + 1));
  const auto known = std::ranges::find(measures, gate.measure, &Measure::name);
  if (known == measures.end()) {
    std::vector<std::string> names;
    for (const Measure& measure : measures) names.emplace_back(measure.name);
    const std::string near = closest(gate.measure, names);
    return wrong(gate.text, fmt::format("unknown metric '{}'; {}", gate.measure,
                                        near.empty() ? "use one of " + list_of(names, names.size())
                                                     : "did you mean " + near + "?"));
  }
  if (!gate.part.empty() && known->part.empty()) {
    return wrong(gate.text, fmt::format("{} takes no ':' suffix", gate.measure));
  }
  if (gate.part.empty() && !known->part.empty() && !known->part.starts_with('[')) {
    return wrong(gate.text, fmt::format("expected {}:{}", gate.measure, known->part));
  }
  return {};
}

}  // namespace

bool Gate::is_crossed_by(double value) const {
  switch (comparison) {
    case Operator::kAbove:
      return value > limit;
    case Operator::kAtLeast:
      return value >= limit;
    case Operator::kBelow:
      return value < limit;
    case Operator::kAtMost:
      return value <= limit;
  }
  return false;
}

Result<Gate> parse_gate(std::string_view text, std::span<const Measure> measures) {
  Gate gate{.text = std::string(text), .measure = {}};
  std::string_view word = text;
  for (const Sign& each : kSigns) {
    const std::size_t at = text.find(each.text);
    if (at == std::string_view::npos) continue;
    word = text.substr(0, at);
    const std::string_view digits = trimmed(text.substr(at + each.text.size()));
    const std::optional<double> limit = launch::parse_real<double>(digits);
    if (!limit || !std::isfinite(*limit)) {
      return wrong(text, fmt::format("expected a number after {}, such as 1.1", each.text));
    }
    gate.comparison = each.meant;
    gate.limit = *limit;
    break;
  }
  if (Result<void> read = read_measure(trimmed(word), measures, gate); !read) return read.error();
  return gate;
}

}  // namespace burin::advise
