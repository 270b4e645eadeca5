// A restriction, or a part of one that must hold by itself, prepared for building a space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "formula/evaluator.h"
#include "formula/expression.h"
#include "tune/space/space.h"

namespace burin::tune {

// The values of all parameters as Scalars, by parameter and index.
using ScalarTable = std::vector<std::vector<formula::Scalar>>;
ScalarTable scalar_table(std::span<const Parameter> parameters);

// Positions of the parameters that the expression mentions, ascending.
std::vector<std::size_t> mentioned(const formula::Expression& expression,
                                   std::span<const std::string> names);

class Rule {
 public:
  // An Error if it mentions a name that is neither in `names`, the parameters', nor a constant.
  static Result<Rule> make(formula::Expression expression, std::span<const Parameter> parameters,
                           std::span<const std::string> names, const formula::Names& constants);

  const formula::Expression& expression() const { return expression_; }
  const std::vector<std::size_t>& parameters() const { return parameters_; }

  // Whether it holds for the indices of the parameters it mentions; `values` are their Scalars,
  // both by parameter. Answers are remembered where that takes little memory.
  Result<bool> holds(std::span<const std::uint16_t> point, std::span<const formula::Scalar> values);

 private:
  Rule(formula::Expression expression, formula::Evaluator evaluator)
      : expression_(std::move(expression)), evaluator_(std::move(evaluator)) {}

  enum class Memo : std::uint8_t { kUnknown, kHolds, kFails };

  formula::Expression expression_;
  formula::Evaluator evaluator_;
  std::vector<std::size_t> parameters_;
  std::vector<std::size_t> counts_;  // values of each of these parameters
  std::vector<Memo> memo_;           // by the indices of these parameters; empty: not kept
};

}  // namespace burin::tune
