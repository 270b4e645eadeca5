// A Value for the inner loop of evaluation: 16 bytes, copied without allocation. A text is only
// referred to.
//
//   Scalar::of(Value{std::int64_t{32}}).integer   32
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "formula/node.h"
#include "formula/value.h"

namespace burin::formula {

struct Scalar {
  enum class Kind : std::uint8_t { kBool, kInteger, kReal, kText };

  Kind kind = Kind::kInteger;
  union {
    std::int64_t integer = 0;  // kBool: 0 or 1
    double real;
    const std::string* text;
  };

  static Scalar of(bool value) {
    Scalar scalar;
    scalar.kind = Kind::kBool;
    scalar.integer = value ? 1 : 0;
    return scalar;
  }
  static Scalar of(std::int64_t value) {
    Scalar scalar;
    scalar.integer = value;
    return scalar;
  }
  static Scalar of(double value) {
    Scalar scalar;
    scalar.kind = Kind::kReal;
    scalar.real = value;
    return scalar;
  }
  static Scalar of(const Value& value);  // a text must outlive the Scalar

  bool whole() const { return kind <= Kind::kInteger; }
  double number() const { return whole() ? static_cast<double>(integer) : real; }  // not of a text
  bool truth() const {
    return kind == Kind::kText ? !text->empty() : kind == Kind::kReal ? real != 0 : integer != 0;
  }
  Value value() const;
};

// Why an operation has no value.
enum class Fault : std::uint8_t {
  kNone,
  kDivisionByZero,
  kOverflow,  // beyond 64 bits, or a number beyond a double
  kText,      // a text where a number is needed
  kFraction,  // a number with a fraction where an integer is needed
  kOrder,     // a text compared with a number
  kNegativeShift,
  kNotReal,  // sqrt(-1), log2(0), (-8) ** 0.5
};

// Each puts its result into `result`, unless it returns a Fault. The semantics are Python's, but
// for integers of 64 bits, and bit operations accept numbers without fraction such as 8 / 2.
Fault apply(Op op, const Scalar& operand, Scalar& result);
Fault apply(Op op, const Scalar& left, const Scalar& right, Scalar& result);
Fault apply(Function function, const Scalar& operand, Scalar& result);
Fault apply(Function function, const Scalar& left, const Scalar& right, Scalar& result);
Fault apply(Comparison comparison, const Scalar& left, const Scalar& right, bool& result);

// Python's // and % for integers; the divisor is not 0, and the quotient fits.
inline std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && (a % b < 0) != (b < 0) ? 1 : 0);
}
inline std::int64_t floor_remainder(std::int64_t a, std::int64_t b) {
  if (b == -1) return 0;  // the processor traps on the smallest integer
  const std::int64_t remainder = a % b;
  return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
}

}  // namespace burin::formula
