// The normal form of a tree: the fewest parentheses, one space around operators.
#include "base/concat.h"
#include "formula/expression.h"
#include "formula/node.h"

namespace burin::formula {
namespace {

class Printer {
 public:
  // In parentheses if the node binds less tightly than `loosest`.
  void print(const Node& node, int loosest) {
    const bool parentheses = precedence(node.op) < loosest;
    if (parentheses) text += '(';
    print_bare(node);
    if (parentheses) text += ')';
  }

  std::string text;

 private:
  void print_list(const Node& node, std::string_view separator, int loosest) {
    for (std::size_t i = 0; i < node.operands.size(); ++i) {
      if (i > 0) text += separator;
      print(node.operands[i], loosest);
    }
  }

  void print_bare(const Node& node) {
    const int own = precedence(node.op);
    switch (node.op) {
      case Op::kLiteral:
        text += formula::to_string(node.value);
        return;
      case Op::kName:
        text += node.name;
        return;
      case Op::kList:
        text += '[';
        print_list(node, ", ", kLowestPrecedence);
        text += ']';
        return;
      case Op::kCall:
        text += concat(sign(node.function), "(");
        print_list(node, ", ", kLowestPrecedence);
        text += ')';
        return;
      case Op::kConditional:
        print(node.operands[1], own + 1);
        text += " if ";
        print(node.operands[0], own + 1);
        text += " else ";
        print(node.operands[2], own);
        return;
      case Op::kOr:
      case Op::kAnd:
        print_list(node, concat(" ", sign(node.op), " "), own + 1);
        return;
      case Op::kNot:
        text += "not ";
        print(node.operands[0], own);
        return;
      case Op::kNegate:
      case Op::kPlus:
      case Op::kInvert:
        text += sign(node.op);
        print(node.operands[0], own);
        return;
      case Op::kCompare:
        print(node.operands[0], own + 1);
        for (std::size_t i = 0; i < node.comparisons.size(); ++i) {
          text += concat(" ", sign(node.comparisons[i]), " ");
          print(node.operands[i + 1], own + 1);
        }
        return;
      case Op::kPower:
        print(node.operands[0], kPrimaryPrecedence);
        text += " ** ";
        print(node.operands[1], kUnaryPrecedence);
        return;
      default:
        print(node.operands[0], own);
        text += concat(" ", sign(node.op), " ");
        print(node.operands[1], own + 1);
        return;
    }
  }
};

}  // namespace

std::string to_string(const Node& node) {
  Printer printer;
  printer.print(node, kLowestPrecedence);
  return std::move(printer.text);
}

std::string Expression::to_string() const {
  return formula::to_string(*root_);
}

}  // namespace burin::formula
