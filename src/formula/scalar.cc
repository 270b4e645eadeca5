#include "formula/scalar.h"

#include <cmath>
#include <limits>
#include <optional>

namespace burin::formula {
namespace {

constexpr std::int64_t kMinInteger = std::numeric_limits<std::int64_t>::min();
constexpr double kIntegerLimit = 9223372036854775808.0;  // 2^63

Fault to_integer(double value, Scalar& result) {
  if (!(value >= -kIntegerLimit && value < kIntegerLimit)) return Fault::kOverflow;
  result = Scalar::of(static_cast<std::int64_t>(value));
  return Fault::kNone;
}

Fault set(double value, Scalar& result) {
  result = Scalar::of(value);
  return Fault::kNone;
}

Fault set(std::int64_t value, Scalar& result) {
  result = Scalar::of(value);
  return Fault::kNone;
}

// Python's % for numbers: the sign of the divisor.
double real_remainder(double a, double b) {
  const double remainder = std::fmod(a, b);
  if (remainder == 0) return std::copysign(0.0, b);
  return (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

// Python's //: what remains is taken off first, so that the quotient is nearly an integer.
double real_floor_quotient(double a, double b) {
  const double remainder = std::fmod(a, b);
  double quotient = (a - remainder) / b;
  if (remainder != 0 && (remainder < 0) != (b < 0)) quotient -= 1;
  if (quotient == 0) return std::copysign(0.0, a / b);
  const double floor = std::floor(quotient);
  return quotient - floor > 0.5 ? floor + 1 : floor;
}

// An integer to the power of one that is not negative.
Fault integer_power(std::int64_t base, std::int64_t exponent, Scalar& result) {
  std::int64_t value = 1;
  while (true) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(value, base, &value)) return Fault::kOverflow;
    exponent >>= 1;
    if (exponent == 0) return set(value, result);
    if (__builtin_mul_overflow(base, base, &base)) return Fault::kOverflow;
  }
}

Fault power(const Scalar& left, const Scalar& right, Scalar& result) {
  if (left.whole() && right.whole() && right.integer >= 0) {
    return integer_power(left.integer, right.integer, result);
  }
  const double base = left.number();
  const double exponent = right.number();
  if (base == 0 && exponent < 0) return Fault::kDivisionByZero;
  if (base < 0 && std::isfinite(exponent) && std::floor(exponent) != exponent) {
    return Fault::kNotReal;
  }
  const double value = std::pow(base, exponent);
  if (std::isinf(value) && std::isfinite(base) && std::isfinite(exponent)) return Fault::kOverflow;
  return set(value, result);
}

Fault shift_left(std::int64_t value, std::int64_t count, Scalar& result) {
  if (count < 0) return Fault::kNegativeShift;
  if (value == 0) return set(std::int64_t{0}, result);
  if (count > 63) return Fault::kOverflow;
  const auto shifted = static_cast<std::int64_t>(static_cast<std::uint64_t>(value) << count);
  if (shifted >> count != value) return Fault::kOverflow;
  return set(shifted, result);
}

Fault bit_operation(Op op, const Scalar& left, const Scalar& right, Scalar& result) {
  const std::optional<std::int64_t> a = formula::integer(left.value());
  const std::optional<std::int64_t> b = formula::integer(right.value());
  if (!a || !b) return Fault::kFraction;
  const bool logical = left.kind == Scalar::Kind::kBool && right.kind == Scalar::Kind::kBool;
  switch (op) {
    case Op::kShiftLeft:
      return shift_left(*a, *b, result);
    case Op::kShiftRight:
      if (*b < 0) return Fault::kNegativeShift;
      return set(*a >> (*b > 63 ? 63 : *b), result);
    case Op::kBitOr:
      set(*a | *b, result);
      break;
    case Op::kBitXor:
      set(*a ^ *b, result);
      break;
    default:
      set(*a & *b, result);
      break;
  }
  if (logical) result = Scalar::of(result.integer != 0);
  return Fault::kNone;
}

Fault integer_operation(Op op, std::int64_t a, std::int64_t b, Scalar& result) {
  std::int64_t value = 0;
  bool overflow = false;
  switch (op) {
    case Op::kAdd:
      overflow = __builtin_add_overflow(a, b, &value);
      break;
    case Op::kSubtract:
      overflow = __builtin_sub_overflow(a, b, &value);
      break;
    case Op::kMultiply:
      overflow = __builtin_mul_overflow(a, b, &value);
      break;
    case Op::kFloorDivide:
      if (b == 0) return Fault::kDivisionByZero;
      overflow = a == kMinInteger && b == -1;
      if (!overflow) value = floor_quotient(a, b);
      break;
    default:  // kModulo
      if (b == 0) return Fault::kDivisionByZero;
      value = floor_remainder(a, b);
      break;
  }
  return overflow ? Fault::kOverflow : set(value, result);
}

bool ordered(Comparison comparison, int order) {  // order: below, at or above 0
  switch (comparison) {
    case Comparison::kLess:
      return order < 0;
    case Comparison::kLessEqual:
      return order <= 0;
    case Comparison::kGreater:
      return order > 0;
    case Comparison::kGreaterEqual:
      return order >= 0;
    case Comparison::kNotEqual:
    case Comparison::kNotIn:
      return order != 0;
    default:
      return order == 0;
  }
}

bool compare_numbers(Comparison comparison, double a, double b) {  // a NaN is unequal to all
  switch (comparison) {
    case Comparison::kLess:
      return a < b;
    case Comparison::kLessEqual:
      return a <= b;
    case Comparison::kGreater:
      return a > b;
    case Comparison::kGreaterEqual:
      return a >= b;
    case Comparison::kNotEqual:
    case Comparison::kNotIn:
      return a != b;
    default:
      return a == b;
  }
}

}  // namespace

Scalar Scalar::of(const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) return of(*flag);
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return of(*whole);
  if (const auto* real = std::get_if<double>(&value)) return of(*real);
  Scalar scalar;
  scalar.kind = Kind::kText;
  scalar.text = &std::get<std::string>(value);
  return scalar;
}

Value Scalar::value() const {
  switch (kind) {
    case Kind::kBool:
      return integer != 0;
    case Kind::kInteger:
      return integer;
    case Kind::kReal:
      return real;
    default:
      return *text;
  }
}

Fault apply(Op op, const Scalar& operand, Scalar& result) {
  if (op == Op::kNot) {
    result = Scalar::of(!operand.truth());
    return Fault::kNone;
  }
  if (operand.kind == Scalar::Kind::kText) return Fault::kText;
  if (op == Op::kInvert) {
    const std::optional<std::int64_t> value = formula::integer(operand.value());
    return value ? set(~*value, result) : Fault::kFraction;
  }
  if (!operand.whole()) return set(op == Op::kNegate ? -operand.real : operand.real, result);
  if (op == Op::kPlus) return set(operand.integer, result);
  if (operand.integer == kMinInteger) return Fault::kOverflow;
  return set(-operand.integer, result);
}

Fault apply(Op op, const Scalar& left, const Scalar& right, Scalar& result) {
  if (left.kind == Scalar::Kind::kText || right.kind == Scalar::Kind::kText) return Fault::kText;
  if (op >= Op::kBitOr && op <= Op::kShiftRight) return bit_operation(op, left, right, result);
  if (op == Op::kPower) return power(left, right, result);
  if (op != Op::kDivide && left.whole() && right.whole()) {
    return integer_operation(op, left.integer, right.integer, result);
  }
  const double a = left.number();
  const double b = right.number();
  switch (op) {
    case Op::kAdd:
      return set(a + b, result);
    case Op::kSubtract:
      return set(a - b, result);
    case Op::kMultiply:
      return set(a * b, result);
    default:
      break;
  }
  if (b == 0) return Fault::kDivisionByZero;
  if (op == Op::kDivide) return set(a / b, result);
  return set(op == Op::kModulo ? real_remainder(a, b) : real_floor_quotient(a, b), result);
}

Fault apply(Function function, const Scalar& operand, Scalar& result) {
  if (operand.kind == Scalar::Kind::kText) return Fault::kText;
  const double number = operand.number();
  switch (function) {
    case Function::kSqrt:
      return number < 0 ? Fault::kNotReal : set(std::sqrt(number), result);
    case Function::kLog2:
      return number <= 0 ? Fault::kNotReal : set(std::log2(number), result);
    case Function::kFloat:
      return set(number, result);
    default:
      break;
  }
  if (function == Function::kAbs) {
    if (!operand.whole()) return set(std::abs(number), result);
    if (operand.integer == kMinInteger) return Fault::kOverflow;
    return set(std::abs(operand.integer), result);
  }
  if (operand.whole()) return set(operand.integer, result);
  switch (function) {
    case Function::kCeil:
      return to_integer(std::ceil(number), result);
    case Function::kFloor:
      return to_integer(std::floor(number), result);
    case Function::kRound:
      return to_integer(std::nearbyint(number), result);  // a half goes to the even neighbour
    default:
      return to_integer(std::trunc(number), result);  // kInt
  }
}

Fault apply(Function function, const Scalar& left, const Scalar& right, Scalar& result) {
  if (function != Function::kCeilDiv) {  // kMin or kMax: the first one if they are equal
    bool other = false;
    const Comparison better = function == Function::kMin ? Comparison::kLess : Comparison::kGreater;
    const Fault fault = apply(better, right, left, other);
    if (fault == Fault::kNone) result = other ? right : left;
    return fault;
  }
  if (left.kind == Scalar::Kind::kText || right.kind == Scalar::Kind::kText) return Fault::kText;
  if (right.number() == 0) return Fault::kDivisionByZero;
  if (!left.whole() || !right.whole()) {
    return to_integer(std::ceil(left.number() / right.number()), result);
  }
  const std::int64_t a = left.integer;
  const std::int64_t b = right.integer;
  if (a == kMinInteger && b == -1) return Fault::kOverflow;
  return set(floor_quotient(a, b) + (a % b != 0 ? 1 : 0), result);
}

Fault apply(Comparison comparison, const Scalar& left, const Scalar& right, bool& result) {
  const bool text = left.kind == Scalar::Kind::kText;
  if (text != (right.kind == Scalar::Kind::kText)) {
    const bool equality = comparison == Comparison::kEqual || comparison == Comparison::kIn;
    result = !equality;
    const bool order = comparison >= Comparison::kLess && comparison <= Comparison::kGreaterEqual;
    return order ? Fault::kOrder : Fault::kNone;
  }
  if (text) {
    result = ordered(comparison, left.text->compare(*right.text));
  } else if (left.whole() && right.whole()) {
    result = ordered(comparison, left.integer < right.integer ? -1 : left.integer > right.integer);
  } else {
    result = compare_numbers(comparison, left.number(), right.number());
  }
  return Fault::kNone;
}

}  // namespace burin::formula
