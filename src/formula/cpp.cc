// An expression as C++. Python's operators that C++ has otherwise, or not at all, are functions of
// namespace burin_expression.
#include <utility>

#include "base/format.h"
#include "formula/expression.h"
#include "formula/node.h"

namespace burin::formula {
namespace {

// C++ has type bool for it, where the rest is std::int64_t or double.
bool is_boolean(const Node& node) {
  switch (node.op) {
    case Op::kLiteral:
      return std::holds_alternative<bool>(node.value);
    case Op::kNot:
    case Op::kCompare:
      return true;
    case Op::kOr:
    case Op::kAnd:
      for (const Node& operand : node.operands) {
        if (!is_boolean(operand)) return false;
      }
      return true;
    case Op::kConditional:
      return is_boolean(node.operands[1]) && is_boolean(node.operands[2]);
    default:
      return false;
  }
}

std::string_view cpp_name(Function function) {
  switch (function) {
    case Function::kMin:
      return "minimum";
    case Function::kMax:
      return "maximum";
    case Function::kAbs:
      return "absolute";
    case Function::kCeil:
      return "ceiling";
    case Function::kFloor:
      return "floor";
    case Function::kRound:
      return "round_half_even";
    case Function::kSqrt:
      return "square_root";
    case Function::kLog2:
      return "log2";
    case Function::kInt:
      return "truncate";
    case Function::kFloat:
      return "real";
    case Function::kCeilDiv:
      return "ceil_divide";
  }
  return "";
}

class CppWriter {
 public:
  // The value of a node, without parentheses around it.
  std::string write(const Node& node) {
    switch (node.op) {
      case Op::kLiteral:
        return write_literal(node.value);
      case Op::kName:
        return node.name;
      case Op::kConditional:
        return write_conditional(node);
      case Op::kOr:
      case Op::kAnd:
        return is_boolean(node) ? write_truth(node) : write_logical(node, 0);
      case Op::kNot:
        return "!" + in_parentheses(truth(node.operands[0]));
      case Op::kCompare:
        return write_comparison(node, 0, number(node.operands[0]));
      case Op::kCall: {
        std::string arguments;
        for (const Node& operand : node.operands) {
          if (!arguments.empty()) arguments += ", ";
          arguments += number(operand);
        }
        return call(cpp_name(node.function), arguments);
      }
      case Op::kNegate:
      case Op::kPlus:
        return fmt::format("{}{}", sign(node.op), in_parentheses(number(node.operands[0])));
      case Op::kInvert:
        return "~" + call("integer", number(node.operands[0]));
      default:
        return write_binary(node);
    }
  }

 private:
  static std::string call(std::string_view function, std::string_view arguments) {
    return fmt::format("burin_expression::{}({})", function, arguments);
  }

  static std::string in_parentheses(const std::string& text) {
    const bool simple = text.find_first_not_of(
                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.") ==
                        std::string::npos;
    return simple ? text : "(" + text + ")";
  }

  static bool is_simple(const Node& node) {
    return node.op == Op::kName || node.op == Op::kLiteral;
  }

  static std::string write_literal(const Value& value) {
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return fmt::format("{}LL", *whole);
    const auto* text = std::get_if<std::string>(&value);
    if (text == nullptr) return formula::to_string(value);
    std::string bytes;  // octal, which ends after three digits whatever follows
    for (const char c : *text) {
      const bool plain = c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '?';
      bytes += plain ? std::string(1, c) : fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    }
    return fmt::format("std::string_view(\"{}\", {})", bytes, text->size());
  }

  // As an operand of arithmetic: a bool would be promoted to an int of 32 bits.
  std::string number(const Node& node) {
    const std::string text = write(node);
    return is_boolean(node) ? "std::int64_t{" + text + "}" : text;
  }

  // As a condition.
  std::string truth(const Node& node) {
    if (is_boolean(node) || node.op == Op::kOr || node.op == Op::kAnd) return write_truth(node);
    if (const auto* text = std::get_if<std::string>(&node.value);
        node.op == Op::kLiteral && text != nullptr) {
      return text->empty() ? "false" : "true";
    }
    return in_parentheses(write(node)) + " != 0";
  }

  std::string write_truth(const Node& node) {
    if (node.op != Op::kOr && node.op != Op::kAnd) return write(node);
    std::string text;
    for (const Node& operand : node.operands) {
      if (!text.empty()) text += node.op == Op::kOr ? " || " : " && ";
      text += in_parentheses(truth(operand));
    }
    return text;
  }

  std::string write_conditional(const Node& node) {
    const bool boolean = is_boolean(node);
    const auto branch = [&](const Node& value) {
      return in_parentheses(boolean ? write(value) : number(value));
    };
    const std::string condition = in_parentheses(truth(node.operands[0]));
    const std::string chosen = branch(node.operands[1]);
    return fmt::format("{} ? {} : {}", condition, chosen, branch(node.operands[2]));
  }

  // `body` is written with a name for the node's value, which is computed once.
  template <typename Body>
  std::string bind(const Node& node, Body body) {
    if (is_simple(node)) return body(in_parentheses(number(node)));
    const std::string name = fmt::format("burin_{}", ++bound_);
    const std::string value = number(node);
    return fmt::format("[&] {{ const auto {} = {}; return {}; }}()", name, value, body(name));
  }

  // "a or b" as a value: a, unless it is 0.
  std::string write_logical(const Node& node, std::size_t first) {
    if (first + 1 == node.operands.size()) return number(node.operands[first]);
    return bind(node.operands[first], [&](const std::string& value) {
      const std::string rest = in_parentheses(write_logical(node, first + 1));
      return node.op == Op::kOr ? fmt::format("{0} != 0 ? {0} : {1}", value, rest)
                                : fmt::format("{0} != 0 ? {1} : {0}", value, rest);
    });
  }

  // From the comparison number `first` on, whose left operand is written as `left`.
  std::string write_comparison(const Node& node, std::size_t first, const std::string& left) {
    const Comparison comparison = node.comparisons[first];
    const Node& right = node.operands[first + 1];
    if (comparison >= Comparison::kIn) return write_in(comparison, right, left);
    const auto compare = [&](const std::string& other) {
      return fmt::format("{} {} {}", in_parentheses(left), sign(comparison), in_parentheses(other));
    };
    if (first + 1 == node.comparisons.size()) return compare(number(right));
    return bind(right, [&](const std::string& value) {
      return fmt::format("{} && {}", compare(value),
                         in_parentheses(write_comparison(node, first + 1, value)));
    });
  }

  std::string write_in(Comparison comparison, const Node& list, const std::string& value) {
    const bool simple = in_parentheses(value) == value;
    const std::string name = simple ? value : fmt::format("burin_{}", ++bound_);
    std::string text;
    for (const Node& element : list.operands) {
      if (!text.empty()) text += " || ";
      text += fmt::format("{} == {}", name, in_parentheses(number(element)));
    }
    if (text.empty()) text = "false";
    if (comparison == Comparison::kNotIn) text = "!(" + text + ")";
    if (simple || list.operands.empty()) return text;
    return fmt::format("[&] {{ const auto {} = {}; return {}; }}()", name, value, text);
  }

  std::string write_binary(const Node& node) {
    const Node& exponent = node.operands[1];
    const std::string left = number(node.operands[0]);
    const std::string right = number(node.operands[1]);
    const std::string both = left + ", " + right;
    switch (node.op) {
      case Op::kDivide:
        return call("divide", both);
      case Op::kFloorDivide:
        return call("floor_divide", both);
      case Op::kModulo:
        return call("floor_modulo", both);
      case Op::kShiftLeft:
        return call("shift_left", both);
      case Op::kShiftRight:
        return call("shift_right", both);
      case Op::kPower:
        // Whether the result is an integer depends on the exponent's sign: known of a literal.
        return exponent.op == Op::kLiteral && !std::holds_alternative<double>(exponent.value)
                   ? call("integer_power", both)
                   : call("power", both);
      case Op::kBitOr:
      case Op::kBitXor:
      case Op::kBitAnd:
        return fmt::format("{} {} {}", call("integer", left), sign(node.op),
                           call("integer", right));
      default:
        return fmt::format("{} {} {}", in_parentheses(left), sign(node.op), in_parentheses(right));
    }
  }

  int bound_ = 0;
};

}  // namespace

std::string Expression::to_cpp() const {
  return CppWriter().write(*root_);
}

}  // namespace burin::formula
