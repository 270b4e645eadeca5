// The tokens of a text one by one, with one more in sight, and the first error that was found.
//
//   if (!tokens.take(';')) return tokens.expected("';'");   // "line 3, column 7: expected ';', not
//   '}'"
#pragma once

#include <deque>
#include <string>
#include <string_view>

#include "base/result.h"
#include "read/ptx/lex.h"
#include "read/ptx/module.h"

namespace burin::read::ptx {

// What a module's string_views point into.
struct Source {
  std::string text{};
  std::deque<std::string> joined{};  // words that the text has in pieces: `add .s32` as "add.s32"
};

class TokenStream {
 public:
  explicit TokenStream(Source& source);

  const Token& current() const { return current_; }
  const Token& after_current() const { return after_current_; }
  std::uint32_t previous_end() const { return previous_end_; }  // of the token before the current
  void advance();

  bool at(TokenKind kind) const { return current_.kind == kind; }
  bool at(char sign) const { return current_.is(sign); }
  bool at_end() const { return at(TokenKind::kEnd) || at(TokenKind::kBad); }
  bool at_dot_word(std::string_view word) const;  // "align" for .align
  bool take(char sign);

  std::string_view text(const Token& token) const;
  std::string_view text() const { return text(current_); }
  std::string_view dot_word() const { return text().substr(1); }  // of the current .word
  std::string_view join(std::string text);  // kept as long as the module's text

  // The current token as an integer; fails if it is none or does not fit. `what` names it:
  // "the number of registers".
  bool read_integer(std::uint64_t& value, std::string_view what);
  // From an opening bracket to after the one that closes it. `what` names what the brackets hold.
  bool skip_brackets(std::string_view what);

  // Each gives false, for `return`. The first error stays.
  bool expected(std::string_view what);  // at the current token
  bool fail_at(Position position, std::string_view sentence);
  const Error& error() const { return error_; }

 private:
  Source* source_;
  Lexer lexer_;
  Token current_{};
  Token after_current_{};
  std::uint32_t previous_end_ = 0;
  Error error_{};
};

// A piece of the text for a message: in quotes, shortened, without bytes that a terminal would
// obey.
std::string quoted(std::string_view text);

}  // namespace burin::read::ptx
