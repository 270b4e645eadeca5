// An expression over named values, in the syntax that tuners use (Python's, with C's operators
// accepted): restrictions, grid and block sizes, argument sizes, objectives.
//
//   Result<Expression> limit = Expression::parse("block_size_x * block_size_y <= 1024");
//   limit->names()                                     block_size_x, block_size_y
//   limit->evaluate({{"block_size_x", 32}, …})         True
//
//   Result<Expression> wrong = Expression::parse("32 <= bx *");
//   wrong.error().message     'column 11: a value is missing after "*" in "32 <= bx *"'
//
// docs/expressions.md lists the operators and functions. An expression is stored as its text:
// parse(text()) and parse(to_string()) give the same tree. Copies share the tree.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "formula/value.h"

namespace burin::formula {

struct Node;      // formula/node.h: the parsed tree
class Evaluator;  // formula/evaluator.h: for evaluating many times

// Names and their values.
using Names = std::map<std::string, Value, std::less<>>;

class Expression {
 public:
  Expression();  // 0
  static Result<Expression> parse(std::string_view text);

  const std::string& text() const { return *text_; }  // as the user wrote it
  std::string to_string() const;                      // normal form, with the fewest parentheses

  // A C++20 expression of the same value, to stand after cpp_prelude() and inside a function. The
  // names are variables of type std::int64_t or double, compared with texts of a type that compares
  // with std::string_view. It checks nothing: where evaluate() reports an error its value is
  // undefined.
  std::string to_cpp() const;

  // The names that occur, each once, in order of first appearance.
  std::vector<std::string> names() const;

  // An Error with the position of the first name that is not in `known`, and the closest known one.
  Result<void> check_names(std::span<const std::string> known) const;

  // Errors have a position: a name without a value, a division by zero, a text in arithmetic, an
  // integer that overflows. Every name needs a value, whether it matters or not.
  Result<Value> evaluate(const Names& names) const;
  Result<bool> holds(const Names& names) const;  // truth: not 0, False or ""
  // A number without fraction is an integer too: 8 / 2 is 4.
  Result<std::int64_t> evaluate_integer(const Names& names) const;
  Result<double> evaluate_number(const Names& names) const;

  // For evaluating many times: names are replaced by positions in an array of values. A name that
  // is not in `slots` has its value from `constants`; one that is in neither is an Error.
  Result<Evaluator> evaluator(std::span<const std::string> slots,
                              const Names& constants = {}) const;

  // Expressions that hold together exactly if this one does: "a < b < c and d" gives "a < b",
  // "b < c" and "d". They keep the text of the whole, to which positions in errors refer.
  std::vector<Expression> conjuncts() const;

  // With the definitions in place of the names they define. Positions in errors are those of the
  // names. An Error if the tree becomes too large.
  Result<Expression> replace_names(
      const std::map<std::string, Expression, std::less<>>& definitions) const;

  const Node& root() const { return *root_; }
  // A node of the tree as an expression of its own; it keeps the text of the whole.
  Expression part(const Node& node) const;

 private:
  Expression(std::shared_ptr<const std::string> text, std::shared_ptr<const Node> root)
      : text_(std::move(text)), root_(std::move(root)) {}

  std::shared_ptr<const std::string> text_;
  std::shared_ptr<const Node> root_;
};

// The normal form of a tree; that of a whole expression parses to the same tree.
std::string to_string(const Node& node);

// The C++ functions that to_cpp() calls, in namespace burin_expression, with their includes.
std::string_view cpp_prelude();

}  // namespace burin::formula
