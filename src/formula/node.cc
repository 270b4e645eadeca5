#include "formula/node.h"

#include <array>
#include <utility>

namespace burin::formula {
namespace {

struct OpRow {
  std::string_view sign;
  int precedence;
};

constexpr std::array<OpRow, 24> kOps = {{
    {"", kPrimaryPrecedence},   // kLiteral
    {"", kPrimaryPrecedence},   // kName
    {"", kPrimaryPrecedence},   // kList
    {"if", kLowestPrecedence},  // kConditional
    {"or", 1},                  // kOr
    {"and", 2},                 // kAnd
    {"not", 3},                 // kNot
    {"", kComparePrecedence},   // kCompare
    {"|", 5},                   // kBitOr
    {"^", 6},                   // kBitXor
    {"&", 7},                   // kBitAnd
    {"<<", 8},                  // kShiftLeft
    {">>", 8},                  // kShiftRight
    {"+", 9},                   // kAdd
    {"-", 9},                   // kSubtract
    {"*", 10},                  // kMultiply
    {"/", 10},                  // kDivide
    {"//", 10},                 // kFloorDivide
    {"%", 10},                  // kModulo
    {"-", kUnaryPrecedence},    // kNegate
    {"+", kUnaryPrecedence},    // kPlus
    {"~", kUnaryPrecedence},    // kInvert
    {"**", kPowerPrecedence},   // kPower
    {"", kPrimaryPrecedence},   // kCall
}};
static_assert(static_cast<std::size_t>(Op::kCall) + 1 == kOps.size());

constexpr std::array<std::string_view, 8> kComparisons = {
    "==", "!=", "<", "<=", ">", ">=", "in", "not in"};

constexpr std::array<std::string_view, 11> kFunctions = {
    "min", "max", "abs", "ceil", "floor", "round", "sqrt", "log2", "int", "float", "ceildiv"};

}  // namespace

bool same_tree(const Node& a, const Node& b) {
  if (a.op != b.op || a.name != b.name || a.comparisons != b.comparisons ||
      a.operands.size() != b.operands.size()) {
    return false;
  }
  // 1, 1.0 and True are three different literals.
  if (a.op == Op::kLiteral && a.value != b.value) return false;
  if (a.op == Op::kCall && a.function != b.function) return false;
  for (std::size_t i = 0; i < a.operands.size(); ++i) {
    if (!same_tree(a.operands[i], b.operands[i])) return false;
  }
  return true;
}

int precedence(Op op) {
  return kOps[static_cast<std::size_t>(op)].precedence;
}

std::string_view sign(Op op) {
  return kOps[static_cast<std::size_t>(op)].sign;
}

std::string_view sign(Comparison comparison) {
  return kComparisons[static_cast<std::size_t>(comparison)];
}

std::string_view sign(Function function) {
  return kFunctions[static_cast<std::size_t>(function)];
}

std::optional<Function> function_named(std::string_view name) {
  for (std::size_t i = 0; i < kFunctions.size(); ++i) {
    if (kFunctions[i] == name) return static_cast<Function>(i);
  }
  return std::nullopt;
}

std::vector<std::string> function_names() {
  std::vector<std::string> names(kFunctions.begin(), kFunctions.end());
  names.emplace_back("pow");
  return names;
}

}  // namespace burin::formula
