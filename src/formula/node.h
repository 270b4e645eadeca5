// The tree of a parsed expression.
//
//   "bx * by <= 1024 and layout in [1, 2]"
//
//   kAnd
//     kCompare <=        operands: kMultiply(bx, by), 1024
//     kCompare in        operands: layout, kList(1, 2)
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formula/value.h"

namespace burin::formula {

enum class Op : std::uint8_t {
  kLiteral,
  kName,
  kList,         // only after "in"
  kConditional,  // condition, value if it holds, value if not
  kOr,           // two or more operands
  kAnd,          // two or more operands
  kNot,
  kCompare,  // operands[i] comparisons[i] operands[i + 1], for every i
  kBitOr,
  kBitXor,
  kBitAnd,
  kShiftLeft,
  kShiftRight,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kFloorDivide,
  kModulo,
  kNegate,
  kPlus,
  kInvert,
  kPower,  // also what pow(a, b) becomes
  kCall,
};

enum class Comparison : std::uint8_t {
  kEqual,
  kNotEqual,
  kLess,
  kLessEqual,
  kGreater,
  kGreaterEqual,
  kIn,     // the right operand is a kList
  kNotIn,  // likewise
};

enum class Function : std::uint8_t {
  kMin,
  kMax,
  kAbs,
  kCeil,
  kFloor,
  kRound,
  kSqrt,
  kLog2,
  kInt,
  kFloat,
  kCeilDiv,
};

struct Node {
  Op op = Op::kLiteral;
  Function function = Function::kMin;  // kCall
  std::uint32_t height = 1;            // nodes on the longest way down, this one included
  std::size_t offset = 0;              // byte of the text: the operator, name, number or function
  Value value = std::int64_t{0};       // kLiteral: an integer or a number is never negative
  std::string name;                    // kName
  std::vector<Comparison> comparisons;
  std::vector<Node> operands;
};

// The tree's height and the nesting of the text are limited, so that walking a tree cannot exhaust
// the stack.
inline constexpr std::uint32_t kMaxHeight = 1000;
inline constexpr std::uint32_t kMaxNesting = 200;

// Equal but for the offsets.
bool same_tree(const Node& a, const Node& b);

// How tightly an operator binds, as Python has it: a larger number binds more tightly.
int precedence(Op op);
inline constexpr int kLowestPrecedence = 0;  // a if c else b
inline constexpr int kComparePrecedence = 4;
inline constexpr int kUnaryPrecedence = 11;
inline constexpr int kPowerPrecedence = 12;
inline constexpr int kPrimaryPrecedence = 13;

// As the normal form writes them: "*", "<=", "not in", "ceildiv". "" for an Op without a sign.
std::string_view sign(Op op);
std::string_view sign(Comparison comparison);
std::string_view sign(Function function);

// The function of that name; "pow" is none, since it becomes an operator.
std::optional<Function> function_named(std::string_view name);
std::vector<std::string> function_names();  // with "pow"

}  // namespace burin::formula
