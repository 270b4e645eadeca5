// From an expression's text to its tree.
//
//   Result<Node> tree = parse_tree("32 <= bx * by <= 1024");
//   tree->op == Op::kCompare, with three operands
#pragma once

#include <string_view>

#include "base/result.h"
#include "formula/node.h"

namespace burin::formula {

// Errors have a column and the text: formula/position.h.
Result<Node> parse_tree(std::string_view text);

}  // namespace burin::formula
