// Words, numbers and signs of PTX, each with its bytes and its line and column.
//
//   ld.global.nc.v4.f32 {%f1, _}, [%rd1+-16];
//     →  ld.global.nc.v4.f32   {   %f1   ,   _   }   ,   [   %rd1   +   -   16   ]   ;
//
// A word keeps the dots that follow it without a space. A word that starts with a dot (.reg, .b32)
// ends at the next dot. White space, comments and line markers (# 1 "kernel.cu") are skipped.
#pragma once

#include <string_view>

#include "read/ptx/module.h"

namespace burin::read::ptx {

enum class TokenKind : std::uint8_t {
  kEnd,      // of the text
  kBad,      // bytes that are no PTX; the lexer stays there
  kWord,     // add.s32, %tid.x, $L__BB0_1, _
  kDotWord,  // .reg, .b32, .shared::cta
  kNumber,   // 42, 0x1F, 0f3F800000, 1.5e-3; without a sign
  kString,   // "a.cu", with its quotes
  kSign,     // one character
  kDwarf,    // @@DWARF and the rest of its line
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  char sign = 0;  // of a kSign
  Span span{};
  Position position{};
  const char* problem =
      nullptr;  // of a kBad: a sentence, or null for a byte that PTX does not have

  bool is(char wanted) const { return sign == wanted; }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}

  // At the end of the text, and at bytes that are no PTX, the same token again and again.
  Token next();

 private:
  bool skip_blanks(Token& bad);
  std::size_t end_of_word(std::size_t at, bool with_dots) const;
  std::size_t end_of_number(std::size_t at) const;
  std::size_t end_of_string(std::size_t at) const;
  bool at_line_marker() const;
  Token token(TokenKind kind, std::size_t end);
  Token bad(const char* problem) const;
  char peek(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_begin_ = 0;
  std::uint32_t line_ = 1;
};

// Whether the text holds white space, comments and line markers alone. It must start where a token
// could.
bool is_blank(std::string_view text);

}  // namespace burin::read::ptx
