#include "tune/space/rule.h"

#include <algorithm>

namespace burin::tune {

ScalarTable scalar_table(std::span<const Parameter> parameters) {
  ScalarTable table;
  for (const Parameter& parameter : parameters) {
    std::vector<formula::Scalar>& scalars = table.emplace_back();
    for (const formula::Value& value : parameter.values) {
      scalars.push_back(formula::Scalar::of(value));
    }
  }
  return table;
}

std::vector<std::size_t> mentioned(const formula::Expression& expression,
                                   std::span<const std::string> names) {
  std::vector<std::size_t> positions;
  for (const std::string& name : expression.names()) {
    const auto found = std::ranges::find(names, name);
    if (found != names.end()) positions.push_back(static_cast<std::size_t>(found - names.begin()));
  }
  std::ranges::sort(positions);
  return positions;
}

Result<Rule> Rule::make(formula::Expression expression, std::span<const Parameter> parameters,
                        std::span<const std::string> names, const formula::Names& constants) {
  constexpr std::size_t kMaxMemo = 1 << 20;
  Result<formula::Evaluator> evaluator = expression.evaluator(names, constants);
  if (!evaluator) return evaluator.error();
  Rule rule(std::move(expression), std::move(*evaluator));
  rule.parameters_ = mentioned(rule.expression_, names);
  std::size_t size = 1;
  for (const std::size_t parameter : rule.parameters_) {
    rule.counts_.push_back(parameters[parameter].values.size());
    size = std::min(size * rule.counts_.back(), kMaxMemo + 1);
  }
  if (size <= kMaxMemo) rule.memo_.assign(size, Memo::kUnknown);
  return rule;
}

Result<bool> Rule::holds(std::span<const std::uint16_t> point,
                         std::span<const formula::Scalar> values) {
  if (memo_.empty()) return evaluator_.holds(values);
  std::size_t at = 0;
  for (std::size_t i = 0; i < parameters_.size(); ++i) at = at * counts_[i] + point[parameters_[i]];
  if (memo_[at] != Memo::kUnknown) return memo_[at] == Memo::kHolds;
  const Result<bool> holds = evaluator_.holds(values);
  if (holds) memo_[at] = *holds ? Memo::kHolds : Memo::kFails;
  return holds;
}

}  // namespace burin::tune
