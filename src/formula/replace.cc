// Names replaced by what they stand for.
#include <utility>

#include "base/format.h"
#include "formula/expression.h"
#include "formula/node.h"
#include "formula/position.h"

namespace burin::formula {
namespace {

class Replacer {
 public:
  explicit Replacer(const std::map<std::string, Expression, std::less<>>& definitions)
      : definitions_(definitions) {}

  // `defined` is the name that a definition is copied for, or null.
  Node copy(const Node& node, const Node* defined) {
    const auto definition = node.op == Op::kName && defined == nullptr
                                ? definitions_.find(node.name)
                                : definitions_.end();
    if (definition != definitions_.end()) return copy(definition->second.root(), &node);
    Node made;
    if (++nodes_ > kMaxNodes) return made;
    made.op = node.op;
    made.function = node.function;
    made.offset = defined != nullptr ? defined->offset : node.offset;
    made.value = node.value;
    made.name = node.name;
    made.comparisons = node.comparisons;
    made.operands.reserve(node.operands.size());
    for (const Node& operand : node.operands) {
      made.operands.push_back(copy(operand, defined));
      made.height = std::max(made.height, made.operands.back().height + 1);
    }
    return made;
  }

  bool too_large() const { return nodes_ > kMaxNodes; }

 private:
  static constexpr std::size_t kMaxNodes = 100'000;

  const std::map<std::string, Expression, std::less<>>& definitions_;
  std::size_t nodes_ = 0;
};

}  // namespace

Result<Expression> Expression::replace_names(
    const std::map<std::string, Expression, std::less<>>& definitions) const {
  Replacer replacer(definitions);
  Node root = replacer.copy(*root_, nullptr);
  if (replacer.too_large() || root.height > kMaxHeight) {
    return error_at(*text_, 0, "the expression is too large with its names written out");
  }
  return Expression(text_, std::make_shared<const Node>(std::move(root)));
}

}  // namespace burin::formula
