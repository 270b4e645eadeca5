// An expression prepared for evaluating many times: a short postfix program over an array of
// values. An evaluation allocates nothing, unless its result is a text.
//
//   const std::vector<std::string> slots = {"bx", "by"};
//   Result<Evaluator> limit = expression.evaluator(slots);
//   std::vector<Scalar> values = {Scalar::of(std::int64_t{32}), Scalar::of(std::int64_t{8})};
//   Result<bool> holds = limit->holds(values);
//
// May be used by several threads at once. Values and errors are those of Expression::evaluate().
#pragma once

#include <memory>
#include <span>
#include <string>

#include "base/result.h"
#include "formula/scalar.h"
#include "formula/value.h"

namespace burin::formula {

struct Program;  // formula/program.h

class Evaluator {
 public:
  explicit Evaluator(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  // `slots` holds at least as many values as the slots that the evaluator was made with.
  Result<Value> evaluate(std::span<const Value> slots) const;
  Result<bool> holds(std::span<const Value> slots) const;
  Result<std::int64_t> evaluate_integer(std::span<const Value> slots) const;
  Result<double> evaluate_number(std::span<const Value> slots) const;

  // The same for loops over values that are Scalars already. A text refers to its slot or to this
  // evaluator.
  Result<Scalar> evaluate(std::span<const Scalar> slots) const;
  Result<bool> holds(std::span<const Scalar> slots) const;

  // Without any allocation, and without a message: `stack` has room for depth() values. False
  // where evaluate() reports an error.
  std::size_t depth() const;
  bool evaluate(std::span<const Scalar> slots, std::span<Scalar> stack, Scalar& result) const;

 private:
  std::shared_ptr<const Program> program_;
};

}  // namespace burin::formula
