#include "formula/expression.h"

#include <algorithm>
#include <utility>

#include "base/concat.h"
#include "base/text.h"
#include "formula/evaluator.h"
#include "formula/node.h"
#include "formula/parser.h"
#include "formula/position.h"

namespace burin::formula {
namespace {

void collect_names(const Node& node, std::vector<const Node*>& found) {
  if (node.op == Op::kName) found.push_back(&node);
  for (const Node& operand : node.operands) collect_names(operand, found);
}

// The nodes with a name, in order of the text.
std::vector<const Node*> name_nodes(const Node& root) {
  std::vector<const Node*> found;
  collect_names(root, found);
  std::ranges::sort(found, {}, [](const Node* node) { return node->offset; });
  return found;
}

}  // namespace

Expression::Expression() {
  static const auto zero_text = std::make_shared<const std::string>("0");
  static const auto zero = std::make_shared<const Node>();
  text_ = zero_text;
  root_ = zero;
}

Result<Expression> Expression::parse(std::string_view text) {
  Result<Node> root = parse_tree(text);
  if (!root) return root.error();
  return Expression(std::make_shared<const std::string>(text),
                    std::make_shared<const Node>(std::move(*root)));
}

std::vector<std::string> Expression::names() const {
  std::vector<std::string> names;
  for (const Node* node : name_nodes(*root_)) {
    if (std::ranges::find(names, node->name) == names.end()) names.push_back(node->name);
  }
  return names;
}

Result<void> Expression::check_names(std::span<const std::string> known) const {
  for (const Node* node : name_nodes(*root_)) {
    if (std::ranges::find(known, node->name) != known.end()) continue;
    const std::string near = closest(node->name, known);
    std::string message = concat("\"", node->name, "\" has no value");
    if (!near.empty()) {
      message += concat("; did you mean ", near, "?");
    } else if (!known.empty()) {
      message += concat("; known names are ", list_of(known, 8));
    }
    return error_at(*text_, node->offset, message);
  }
  return {};
}

Result<Value> Expression::evaluate(const Names& names) const {
  const Result<Evaluator> evaluator = this->evaluator({}, names);
  if (!evaluator) return evaluator.error();
  return evaluator->evaluate(std::span<const Value>{});
}

Result<bool> Expression::holds(const Names& names) const {
  const Result<Evaluator> evaluator = this->evaluator({}, names);
  if (!evaluator) return evaluator.error();
  return evaluator->holds(std::span<const Value>{});
}

Result<std::int64_t> Expression::evaluate_integer(const Names& names) const {
  const Result<Evaluator> evaluator = this->evaluator({}, names);
  if (!evaluator) return evaluator.error();
  return evaluator->evaluate_integer(std::span<const Value>{});
}

Result<double> Expression::evaluate_number(const Names& names) const {
  const Result<Evaluator> evaluator = this->evaluator({}, names);
  if (!evaluator) return evaluator.error();
  return evaluator->evaluate_number(std::span<const Value>{});
}

Expression Expression::part(const Node& node) const {
  return {text_, std::shared_ptr<const Node>(root_, &node)};
}

std::vector<Expression> Expression::conjuncts() const {
  std::vector<Expression> parts;
  if (root_->op == Op::kAnd) {
    for (const Node& operand : root_->operands) {
      for (Expression& inner : part(operand).conjuncts()) parts.push_back(std::move(inner));
    }
  } else if (root_->op == Op::kCompare && root_->comparisons.size() > 1) {
    for (std::size_t i = 0; i < root_->comparisons.size(); ++i) {
      auto pair = std::make_shared<Node>();
      pair->op = Op::kCompare;
      pair->offset = root_->offset;
      pair->operands = {root_->operands[i], root_->operands[i + 1]};
      pair->height = 1 + std::max(pair->operands[0].height, pair->operands[1].height);
      pair->comparisons = {root_->comparisons[i]};
      parts.push_back(Expression(text_, std::move(pair)));
    }
  } else {
    parts.push_back(*this);
  }
  return parts;
}

}  // namespace burin::formula
