#include "read/ptx/read_operand.h"

#include <algorithm>

#include "base/format.h"

namespace burin::read::ptx {
namespace {

constexpr unsigned kMaxNesting = 64;  // of brackets within brackets

bool is_one_of(const Token& token, std::string_view signs) {
  return token.kind == TokenKind::kSign && signs.find(token.sign) != std::string_view::npos;
}

class OperandReader {
 public:
  OperandReader(TokenStream& tokens, std::string_view opcode, bool is_call)
      : tokens_(tokens), opcode_(opcode), is_call_(is_call) {}

  bool read(Operand& operand, unsigned nesting);

 private:
  struct Sum {
    std::vector<Operand> leaves{};
    bool is_leaf = true;  // a name or a number and its sign, nothing else
  };

  bool read_group(Operand& operand, unsigned nesting);
  bool read_address(Operand& operand, unsigned nesting);
  bool read_sum(Sum& sum, unsigned nesting);
  bool read_term(Sum& sum, const Token* minus, unsigned nesting);
  bool read_leaf(Sum& sum, std::uint32_t begin, bool negated);
  bool take_operator(Token& taken);
  bool expected(std::string_view what) {
    return tokens_.expected(fmt::format("{} of {}", what, quoted(opcode_)));
  }

  TokenStream& tokens_;
  std::string_view opcode_;
  bool is_call_;
};

// {a, b} or (a, b)
bool OperandReader::read_group(Operand& operand, unsigned nesting) {
  const char closing = operand.kind == Operand::Kind::kVector ? '}' : ')';
  tokens_.advance();
  while (!tokens_.take(closing)) {
    if (!operand.parts.empty() && !tokens_.take(',')) {
      return expected(closing == '}' ? "',' or '}' in the operands" : "',' or ')' in the operands");
    }
    if (!read(operand.parts.emplace_back(), nesting + 1)) return false;
  }
  return true;
}

bool OperandReader::read_address(Operand& operand, unsigned nesting) {
  tokens_.advance();
  do {
    if (tokens_.at('{')) {
      if (!read(operand.parts.emplace_back(), nesting + 1)) return false;
      continue;
    }
    Sum sum;
    sum.leaves.swap(operand.parts);
    if (!read_sum(sum, nesting + 1)) return false;
    operand.parts.swap(sum.leaves);
  } while (tokens_.take(','));
  if (!tokens_.take(']')) return expected("']' in the operands");
  return true;
}

bool OperandReader::read_leaf(Sum& sum, std::uint32_t begin, bool negated) {
  Operand& leaf = sum.leaves.emplace_back();
  const std::string_view word = tokens_.text();
  leaf.kind = tokens_.at(TokenKind::kNumber) || word == "WARP_SZ" ? Operand::Kind::kNumber
                                                                  : Operand::Kind::kName;
  leaf.span = {begin, tokens_.current().span.end};
  if (leaf.kind == Operand::Kind::kName) {
    leaf.name = word;
    leaf.negated = negated;
  }
  tokens_.advance();
  return true;
}

// A name, a number or something in parentheses, with the signs in front. `minus` is the operator
// before it, which belongs to it as its sign.
bool OperandReader::read_term(Sum& sum, const Token* minus, unsigned nesting) {
  std::uint32_t begin = minus != nullptr ? minus->span.begin : tokens_.current().span.begin;
  bool negated = minus != nullptr;
  while (is_one_of(tokens_.current(), "+-!~")) {
    if (tokens_.at('+') && !negated) {
      begin = tokens_.after_current().span.begin;
    } else if (!tokens_.at('+')) {
      negated = true;
    }
    tokens_.advance();
  }
  if (tokens_.at(TokenKind::kWord) || tokens_.at(TokenKind::kNumber)) {
    return read_leaf(sum, begin, negated);
  }
  if (!tokens_.at('(')) return expected("an operand");
  if (nesting > kMaxNesting) {
    return tokens_.fail_at(tokens_.current().position, "brackets are nested too deeply");
  }
  sum.is_leaf = false;
  const bool is_cast = tokens_.after_current().kind == TokenKind::kDotWord;  // (.s64)
  tokens_.advance();
  if (is_cast) {
    tokens_.advance();
  } else if (!read_sum(sum, nesting + 1)) {
    return false;
  }
  if (!tokens_.take(')')) return expected("')' in the operands");
  return !is_cast || read_term(sum, nullptr, nesting + 1);
}

// One of + - * / % & | ^ ? : and << >> < > <= >= == != && ||; the first character of it is `taken`.
bool OperandReader::take_operator(Token& taken) {
  taken = tokens_.current();
  if (!is_one_of(taken, "+-*/%&|^<>=!?:")) return false;
  const Token& second = tokens_.after_current();
  const bool is_double = second.span.begin == taken.span.end && is_one_of(taken, "&|<>=!") &&
                         (second.is('=') || (second.is(taken.sign) && !taken.is('!')));
  if ((taken.is('=') || taken.is('!')) && !is_double) return false;
  tokens_.advance();
  if (is_double) tokens_.advance();
  return true;
}

bool OperandReader::read_sum(Sum& sum, unsigned nesting) {
  if (!read_term(sum, nullptr, nesting)) return false;
  Token taken;
  while (take_operator(taken)) {
    sum.is_leaf = false;
    if (!read_term(sum, taken.is('-') ? &taken : nullptr, nesting)) return false;
  }
  return true;
}

bool OperandReader::read(Operand& operand, unsigned nesting) {
  if (nesting > kMaxNesting) {
    return tokens_.fail_at(tokens_.current().position, "brackets are nested too deeply");
  }
  operand.span.begin = tokens_.current().span.begin;
  bool done = false;
  if (tokens_.at('[')) {
    operand.kind = Operand::Kind::kAddress;
    done = read_address(operand, nesting);
  } else if (tokens_.at('{') || (tokens_.at('(') && is_call_)) {
    operand.kind = tokens_.at('{') ? Operand::Kind::kVector : Operand::Kind::kList;
    done = read_group(operand, nesting);
  } else {
    // Most operands are a lone word.
    const bool is_name = tokens_.at(TokenKind::kWord) && tokens_.text() != "WARP_SZ";
    if (is_name && is_one_of(tokens_.after_current(), ",;]})")) {
      operand.name = tokens_.text();
      operand.span = tokens_.current().span;
      tokens_.advance();
      return true;
    }
    if (is_name && tokens_.after_current().is('|')) {
      operand.kind = Operand::Kind::kPair;
      Sum pair;
      read_leaf(pair, operand.span.begin, false);
      tokens_.advance();
      if (!read_term(pair, nullptr, nesting)) return false;
      operand.parts = std::move(pair.leaves);
    } else {
      Sum sum;
      if (!read_sum(sum, nesting)) return false;
      if (sum.is_leaf) {
        operand = std::move(sum.leaves.front());
        return true;
      }
      const auto is_number = [](const Operand& leaf) {
        return leaf.kind == Operand::Kind::kNumber;
      };
      if (std::all_of(sum.leaves.begin(), sum.leaves.end(), is_number)) {
        operand.kind = Operand::Kind::kNumber;
      } else {
        operand.kind = Operand::Kind::kSum;
        operand.parts = std::move(sum.leaves);
      }
    }
    done = true;
  }
  operand.span.end = tokens_.previous_end();
  return done;
}

}  // namespace

bool read_opcode_and_operands(TokenStream& tokens, Instruction& instruction) {
  if (!tokens.at(TokenKind::kWord)) return tokens.expected("an instruction");
  instruction.opcode = tokens.text();
  tokens.advance();
  if (tokens.at(TokenKind::kDotWord)) {  // add .s32
    std::string opcode(instruction.opcode);
    for (; tokens.at(TokenKind::kDotWord); tokens.advance()) opcode += tokens.text();
    instruction.opcode = tokens.join(std::move(opcode));
  }
  if (tokens.take(';')) return true;
  OperandReader reader(tokens, instruction.opcode, instruction.base() == "call");
  instruction.operands.reserve(4);
  do {
    if (!reader.read(instruction.operands.emplace_back(), 0)) return false;
  } while (tokens.take(','));
  if (tokens.take(';')) return true;
  return tokens.expected(fmt::format("';' after the operands of {}", quoted(instruction.opcode)));
}

}  // namespace burin::read::ptx
