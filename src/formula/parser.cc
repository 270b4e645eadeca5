// One function per level of precedence, loosest first. After the first error the parser sees the
// end of the text, so that every function returns soon; their results are then thrown away.
#include "formula/parser.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/concat.h"
#include "base/text.h"
#include "formula/lexer.h"
#include "formula/position.h"

namespace burin::formula {
namespace {

constexpr int kLoosestBinary = 5;    // precedence of |
constexpr int kTightestBinary = 10;  // precedence of *

constexpr std::array kBinaryOps = {Op::kBitOr,      Op::kBitXor,      Op::kBitAnd,   Op::kShiftLeft,
                                   Op::kShiftRight, Op::kAdd,         Op::kSubtract, Op::kMultiply,
                                   Op::kDivide,     Op::kFloorDivide, Op::kModulo};

constexpr std::array<std::string_view, 6> kReserved = {"and", "or", "not", "in", "if", "else"};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) { advance(); }

  Result<Node> parse() {
    Node root = expression();
    if (!error_ && token_.kind != Token::Kind::kEnd) fail_at_leftover();
    if (!error_) check_lists(root, nullptr, 0);
    if (error_) return *error_;
    return root;
  }

 private:
  // Counts the levels of nesting, of parentheses and of operators before their operand.
  class Nesting {
   public:
    explicit Nesting(Parser& parser) : parser_(parser) {
      if (++parser_.nesting_ > kMaxNesting) {
        parser_.fail(parser_.token_.offset,
                     concat("the expression is nested more than ", kMaxNesting, " levels deep"));
      }
    }
    ~Nesting() { --parser_.nesting_; }
    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

   private:
    Parser& parser_;
  };

  void fail(std::size_t offset, std::string_view message) {
    if (!error_) error_ = error_at(text_, offset, message);
    token_ = {Token::Kind::kEnd, text_.size(), {}, {}};
  }

  void advance() {
    if (error_) return;
    before_ = token_;
    Result<Token> token = next_token(text_, token_.offset + token_.text.size());
    if (token) {
      token_ = std::move(*token);
    } else {
      error_ = token.error();
      token_ = {Token::Kind::kEnd, text_.size(), {}, {}};
    }
  }

  bool at_sign(std::string_view sign) const {
    return token_.kind == Token::Kind::kSign && token_.text == sign;
  }
  bool at_word(std::string_view word) const {
    return token_.kind == Token::Kind::kName && token_.text == word;
  }
  bool take_sign(std::string_view sign) {
    if (!at_sign(sign)) return false;
    advance();
    return true;
  }
  bool take_word(std::string_view word) {
    if (!at_word(word)) return false;
    advance();
    return true;
  }

  // The sign that closes what was opened at `opened`.
  void close(std::string_view sign, std::size_t opened) {
    if (take_sign(sign) || error_) return;
    if (token_.kind == Token::Kind::kEnd) {
      fail(opened, concat("\"", sign, "\" is missing: it would close the \"",
                          text_.substr(opened, 1), "\" here"));
    } else {
      fail(token_.offset, concat("\"", sign, "\" is missing before \"", token_.text, "\""));
    }
  }

  void fail_at_leftover() {
    if (at_sign("=")) return fail(token_.offset, "\"=\" does not compare: write \"==\"");
    if (at_sign(")") || at_sign("]") || at_sign("}")) {
      return fail(token_.offset, concat("\"", token_.text, "\" closes nothing"));
    }
    fail(token_.offset, concat("an operator is missing before \"", token_.text, "\""));
  }

  Node fail_without_value() {
    const bool last = token_.kind == Token::Kind::kEnd;
    const bool first = before_.text.empty();
    std::string message = "a value is missing";
    if (last && first) {
      message = "the expression is empty: a value is missing";
    } else if (last) {
      message += concat(" after \"", before_.text, "\"");
    } else if (first) {
      message += concat(" before \"", token_.text, "\"");
    } else {
      message += concat(" between \"", before_.text, "\" and \"", token_.text, "\"");
    }
    fail(token_.offset, message);
    return {};
  }

  // A node with its height.
  Node make(Op op, std::size_t offset, std::vector<Node> operands) {
    Node node;
    node.op = op;
    node.offset = offset;
    for (const Node& operand : operands) node.height = std::max(node.height, operand.height + 1);
    if (node.height > kMaxHeight) {
      fail(offset, concat("more than ", kMaxHeight, " operators depend on one another"));
      return {};
    }
    node.operands = std::move(operands);
    return node;
  }

  static std::vector<Node> list_of_nodes(Node first, Node second) {
    std::vector<Node> nodes;
    nodes.reserve(2);
    nodes.push_back(std::move(first));
    nodes.push_back(std::move(second));
    return nodes;
  }

  Node expression() {
    const Nesting nesting(*this);
    Node value = operands_of(Op::kOr);
    const std::size_t offset = token_.offset;
    if (take_word("if")) {
      std::vector<Node> parts;
      parts.push_back(operands_of(Op::kOr));
      if (!take_word("else") && !error_) {
        fail(token_.offset, "\"else\" is missing after \"a if b\"");
      }
      parts.push_back(std::move(value));
      parts.push_back(expression());
      return make(Op::kConditional, offset, std::move(parts));
    }
    if (take_sign("?")) {
      std::vector<Node> parts;
      parts.push_back(std::move(value));
      parts.push_back(expression());
      if (!take_sign(":") && !error_) fail(token_.offset, "\":\" is missing after \"a ? b\"");
      parts.push_back(expression());
      return make(Op::kConditional, offset, std::move(parts));
    }
    return value;
  }

  // Operands of "or", or of "and": any number of them make one node, and one in parentheses
  // becomes part of it, as the value is the same.
  Node operands_of(Op op) {
    const auto operand = [&] { return op == Op::kOr ? operands_of(Op::kAnd) : negation(); };
    const auto take = [&] {
      return op == Op::kOr ? take_word("or") || take_sign("||")
                           : take_word("and") || take_sign("&&");
    };
    Node first = operand();
    std::size_t offset = token_.offset;
    if (!take()) return first;
    std::vector<Node> operands;
    const auto add = [&](Node node) {
      if (node.op != op) return operands.push_back(std::move(node));
      for (Node& inner : node.operands) operands.push_back(std::move(inner));
    };
    add(std::move(first));
    do {
      add(operand());
    } while (take());
    return make(op, offset, std::move(operands));
  }

  Node negation() {
    const std::size_t offset = token_.offset;
    if (!take_word("not")) return comparison();
    const Nesting nesting(*this);
    std::vector<Node> operand;
    operand.push_back(negation());
    return make(Op::kNot, offset, std::move(operand));
  }

  std::optional<Comparison> take_comparison() {
    if (take_word("in")) return Comparison::kIn;
    if (take_word("not")) {  // after a value it can only be "not in"
      if (!take_word("in") && !error_) fail(token_.offset, "\"in\" is missing after \"not\"");
      return Comparison::kNotIn;
    }
    for (const Comparison comparison :
         {Comparison::kEqual, Comparison::kNotEqual, Comparison::kLess, Comparison::kLessEqual,
          Comparison::kGreater, Comparison::kGreaterEqual}) {
      if (take_sign(sign(comparison))) return comparison;
    }
    return std::nullopt;
  }

  Node comparison() {
    Node first = binary(kLoosestBinary);
    const std::size_t offset = token_.offset;
    std::optional<Comparison> next = take_comparison();
    if (!next) return first;
    std::vector<Node> operands;
    std::vector<Comparison> comparisons;
    operands.push_back(std::move(first));
    for (; next; next = take_comparison()) {
      comparisons.push_back(*next);
      operands.push_back(binary(kLoosestBinary));
    }
    Node node = make(Op::kCompare, offset, std::move(operands));
    if (!error_) node.comparisons = std::move(comparisons);
    return node;
  }

  std::optional<Op> at_binary(int loosest) const {
    if (token_.kind != Token::Kind::kSign) return std::nullopt;
    for (const Op op : kBinaryOps) {
      if (sign(op) == token_.text && precedence(op) >= loosest) return op;
    }
    return std::nullopt;
  }

  // Operators that bind at least as tightly as `loosest`, left to right.
  Node binary(int loosest) {
    Node left = unary();
    while (const std::optional<Op> op = at_binary(loosest)) {
      const std::size_t offset = token_.offset;
      advance();
      Node right = precedence(*op) < kTightestBinary ? binary(precedence(*op) + 1) : unary();
      left = make(*op, offset, list_of_nodes(std::move(left), std::move(right)));
    }
    return left;
  }

  Node unary() {
    const std::size_t offset = token_.offset;
    std::optional<Op> op;
    if (at_sign("-")) op = Op::kNegate;
    if (at_sign("+")) op = Op::kPlus;
    if (at_sign("~")) op = Op::kInvert;
    if (at_sign("!")) op = Op::kNot;
    if (!op) return power();
    const Nesting nesting(*this);
    advance();
    std::vector<Node> operand;
    operand.push_back(unary());
    return make(*op, offset, std::move(operand));
  }

  Node power() {
    Node base = primary();
    const std::size_t offset = token_.offset;
    if (!take_sign("**")) return base;
    const Nesting nesting(*this);
    Node exponent = unary();
    return make(Op::kPower, offset, list_of_nodes(std::move(base), std::move(exponent)));
  }

  // Values with commas between them, up to the sign that closes them. `comma` says whether there
  // was one: "(a)" is a value and "(a,)" is a list.
  std::vector<Node> values_until(std::string_view closing, std::size_t opened, bool& comma) {
    std::vector<Node> values;
    comma = false;
    while (!at_sign(closing) && !error_) {
      if (token_.kind == Token::Kind::kEnd && !values.empty()) break;
      values.push_back(expression());
      if (!take_sign(",")) break;
      comma = true;
    }
    close(closing, opened);
    return values;
  }

  Node primary() {
    const Token token = token_;
    const std::size_t offset = token.offset;
    if (token.kind == Token::Kind::kLiteral) {
      advance();
      Node node = make(Op::kLiteral, offset, {});
      node.value = token.value;
      return node;
    }
    if (token.kind == Token::Kind::kName) return name_or_call(token);
    for (const std::string_view pair : {"()", "[]", "{}"}) {
      if (!take_sign(pair.substr(0, 1))) continue;
      bool comma = false;
      std::vector<Node> values = values_until(pair.substr(1), offset, comma);
      if (error_) return {};
      if (pair == "()" && values.size() == 1 && !comma) return std::move(values.front());
      return make(Op::kList, offset, std::move(values));
    }
    return fail_without_value();
  }

  Node name_or_call(Token token) {
    if (std::ranges::find(kReserved, token.text) != kReserved.end()) {
      if (token.text != "not") return fail_without_value();
      fail(token.offset, "\"not\" and its operand need parentheses here");
      return {};
    }
    advance();
    if (token.text == "math" && at_sign(".")) {  // math.ceil is ceil
      advance();
      token = token_;
      if (token.kind != Token::Kind::kName) return fail_without_value();
      advance();
      if (!at_sign("(")) {
        fail(token_.offset, concat("\"(\" is missing after \"math.", token.text, "\""));
      }
    }
    const std::size_t opened = token_.offset;
    if (take_sign("(")) return call(token, opened);
    Node node = make(Op::kName, token.offset, {});
    node.name = token.text;
    return node;
  }

  Node call(const Token& name, std::size_t opened) {
    const std::optional<Function> function = function_named(name.text);
    if (!function && name.text != "pow") {
      const std::vector<std::string> names = function_names();
      const std::string close_one = closest(name.text, names);
      fail(name.offset,
           concat("there is no function ", name.text, "; ",
                  close_one.empty() ? "the functions are " + list_of(names, names.size())
                                    : "did you mean " + close_one + "?"));
      return {};
    }
    bool comma = false;
    std::vector<Node> arguments = values_until(")", opened, comma);
    if (error_) return {};
    const bool any_number = function == Function::kMin || function == Function::kMax;
    if (any_number && arguments.size() == 1 && arguments.front().op == Op::kList) {
      arguments = std::vector<Node>(std::move(arguments.front().operands));  // min([a, b])
    }
    const std::size_t wanted = !function || function == Function::kCeilDiv ? 2 : 1;
    if (any_number ? arguments.empty() : arguments.size() != wanted) {
      fail(name.offset, any_number ? concat(name.text, " needs at least one value")
                                   : concat(name.text, " needs ", count_of(wanted, "value"),
                                            ", not ", arguments.size()));
      return {};
    }
    if (!function) return make(Op::kPower, name.offset, std::move(arguments));
    Node node = make(Op::kCall, name.offset, std::move(arguments));
    node.function = *function;
    return node;
  }

  // A list stands after "in" and nowhere else, and "in" has a list after it.
  void check_lists(const Node& node, const Node* parent, std::size_t position) {
    const bool after_in = parent != nullptr && parent->op == Op::kCompare && position > 0 &&
                          parent->comparisons[position - 1] >= Comparison::kIn;
    const bool last = parent != nullptr && position + 1 == parent->operands.size();
    if (node.op == Op::kList && !(after_in && last)) {
      fail(node.offset, "a list is only allowed after \"in\", \"min\" and \"max\"");
    } else if (node.op != Op::kList && after_in) {
      fail(node.offset, "\"in\" needs a list after it, such as [1, 2]");
    }
    for (std::size_t i = 0; i < node.operands.size(); ++i) check_lists(node.operands[i], &node, i);
  }

  std::string_view text_;
  Token token_;   // the next one
  Token before_;  // the one before it
  std::uint32_t nesting_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<Node> parse_tree(std::string_view text) {
  return Parser(text).parse();
}

}  // namespace burin::formula
