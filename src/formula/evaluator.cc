#include "formula/evaluator.h"

#include <array>
#include <cassert>

#include "base/concat.h"
#include "formula/position.h"
#include "formula/program.h"

namespace burin::formula {
namespace {

Scalar load(const Scalar& slot) {
  return slot;
}
Scalar load(const Value& slot) {
  return Scalar::of(slot);
}

// Integers without the detour through apply(). False leaves the work, or the Fault, to that.
bool apply_fast(Op op, Scalar& left, const Scalar& right) {
  if (!left.whole() || !right.whole()) return false;
  std::int64_t value = 0;
  switch (op) {
    case Op::kAdd:
      if (__builtin_add_overflow(left.integer, right.integer, &value)) return false;
      break;
    case Op::kSubtract:
      if (__builtin_sub_overflow(left.integer, right.integer, &value)) return false;
      break;
    case Op::kMultiply:
      if (__builtin_mul_overflow(left.integer, right.integer, &value)) return false;
      break;
    case Op::kModulo:
      if (right.integer == 0) return false;
      value = floor_remainder(left.integer, right.integer);
      break;
    default:
      return false;
  }
  left = Scalar::of(value);
  return true;
}

bool is_element(const Scalar& value, const Scalar& element) {
  bool equal = false;
  apply(Comparison::kEqual, value, element, equal);  // has no fault
  return equal;
}

// What stopped a program: nothing, if its fault is kNone.
struct Stop {
  Fault fault = Fault::kNone;
  const Instruction* at = nullptr;
  Scalar left;
  Scalar right;
};

// The stack grows from stack[1] on, where the result is in the end.
template <typename Slot>
Stop execute(const Program& program, std::span<const Slot> slots, Scalar* stack) {
  using Code = Instruction::Code;
  Scalar* top = stack;  // the last value
  const Instruction* const begin = program.code.data();
  const Instruction* const end = begin + program.code.size();
  for (const Instruction* at = begin; at != end; ++at) {
    Fault fault = Fault::kNone;
    bool holds = false;
    switch (at->code) {
      case Code::kConstant:
        *++top = at->constant;
        continue;
      case Code::kSlot:
        assert(at->target < slots.size());
        *++top = load(slots[at->target]);
        continue;
      case Code::kUnary:
        if (fault = apply(at->op, *top, *top); fault == Fault::kNone) continue;
        return {fault, at, *top, {}};
      case Code::kBinary:
        --top;
        if (apply_fast(at->op, top[0], top[1])) continue;
        if (fault = apply(at->op, top[0], top[1], top[0]); fault == Fault::kNone) continue;
        return {fault, at, top[0], top[1]};
      case Code::kCall:
        if (fault = apply(at->function, *top, *top); fault == Fault::kNone) continue;
        return {fault, at, *top, {}};
      case Code::kCallTwo:
        --top;
        if (fault = apply(at->function, top[0], top[1], top[0]); fault == Fault::kNone) continue;
        return {fault, at, top[0], top[1]};
      case Code::kCompare:
      case Code::kCompareNext:
        --top;
        if (fault = apply(at->comparison, top[0], top[1], holds); fault != Fault::kNone) {
          return {fault, at, top[0], top[1]};
        }
        if (at->code == Code::kCompareNext && holds) {
          top[0] = top[1];
          continue;
        }
        *top = Scalar::of(holds);
        if (at->code == Code::kCompareNext) break;
        continue;
      case Code::kIsElement:
        --top;
        if (!is_element(top[0], top[1])) continue;
        *top = Scalar::of(at->comparison == Comparison::kIn);
        break;
      case Code::kNotElement:
        *top = Scalar::of(at->comparison == Comparison::kNotIn);
        continue;
      case Code::kPop:
        --top;
        continue;
      case Code::kJump:
        break;
      case Code::kJumpIfFalse:
        if (top->truth()) continue;
        break;
      case Code::kJumpIfTrue:
        if (!top->truth()) continue;
        break;
      case Code::kJumpIfFalsePop:
        --top;
        if (top[1].truth()) continue;
        break;
    }
    at = begin + at->target - 1;  // a jump that is taken
  }
  return {};
}

template <typename Slot>
Result<Scalar> run(const Program& program, std::span<const Slot> slots) {
  std::array<Scalar, 16> shallow;
  std::vector<Scalar> deep;
  Scalar* stack = shallow.data();
  if (program.depth >= shallow.size()) {
    deep.resize(program.depth + 1);
    stack = deep.data();
  }
  const Stop stop = execute(program, slots, stack);
  if (stop.fault == Fault::kNone) return stack[1];
  return error_at(program.text, stop.at->offset,
                  describe(stop.fault, *stop.at, stop.left, stop.right));
}

}  // namespace

std::string describe(Fault fault, const Instruction& instruction, const Scalar& left,
                     const Scalar& right) {
  using Code = Instruction::Code;
  const Code code = instruction.code;
  const bool call = code == Code::kCall || code == Code::kCallTwo;
  const bool comparison = code == Code::kCompare || code == Code::kCompareNext;
  const std::string what =
      call ? std::string(sign(instruction.function))
           : concat("\"", comparison ? sign(instruction.comparison) : sign(instruction.op), "\"");
  const auto text = [](const Scalar& scalar) {
    const std::string value = to_string(scalar.value());
    return scalar.kind == Scalar::Kind::kText ? "the text " + value : value;
  };
  const bool two = code != Code::kCall && code != Code::kUnary;
  switch (fault) {
    case Fault::kDivisionByZero:
      return "division by zero";
    case Fault::kOverflow:
      return concat("the result of ", what, " does not fit in 64 bits");
    case Fault::kText: {
      const bool first = left.kind == Scalar::Kind::kText;
      return concat(what, " needs ", two ? "numbers" : "a number", ", not ",
                    text(first ? left : right));
    }
    case Fault::kFraction: {
      const bool first = !integer(left.value());
      return concat(what, " needs ", two ? "integers" : "an integer", ", not ",
                    text(first ? left : right));
    }
    case Fault::kOrder:
      return concat(what, " cannot compare ", text(left), " with ", text(right));
    case Fault::kNegativeShift:
      return concat(what, " by ", text(right), " bits: the count is negative");
    case Fault::kNotReal:
      return concat(what, " has no real value for ",
                    two ? text(left) + " and " + text(right) : text(left));
    case Fault::kNone:
      break;
  }
  return "no value";
}

Result<Scalar> Evaluator::evaluate(std::span<const Scalar> slots) const {
  return run(*program_, slots);
}

std::size_t Evaluator::depth() const {
  return program_->depth + 1;
}

bool Evaluator::evaluate(std::span<const Scalar> slots, std::span<Scalar> stack,
                         Scalar& result) const {
  assert(stack.size() > program_->depth);
  if (execute(*program_, slots, stack.data()).fault != Fault::kNone) return false;
  result = stack[1];
  return true;
}

Result<bool> Evaluator::holds(std::span<const Scalar> slots) const {
  const Result<Scalar> result = run(*program_, slots);
  if (!result) return result.error();
  return result->truth();
}

Result<Value> Evaluator::evaluate(std::span<const Value> slots) const {
  const Result<Scalar> result = run(*program_, slots);
  if (!result) return result.error();
  return result->value();
}

Result<bool> Evaluator::holds(std::span<const Value> slots) const {
  const Result<Scalar> result = run(*program_, slots);
  if (!result) return result.error();
  return result->truth();
}

Result<std::int64_t> Evaluator::evaluate_integer(std::span<const Value> slots) const {
  const Result<Value> value = evaluate(slots);
  if (!value) return value.error();
  if (const std::optional<std::int64_t> whole = integer(*value)) return *whole;
  return error_at(program_->text, 0,
                  concat("the value is ", to_string(*value), ", not an integer"));
}

Result<double> Evaluator::evaluate_number(std::span<const Value> slots) const {
  const Result<Value> value = evaluate(slots);
  if (!value) return value.error();
  if (const std::optional<double> real = number(*value)) return *real;
  return error_at(program_->text, 0, concat("the value is ", to_string(*value), ", not a number"));
}

}  // namespace burin::formula
