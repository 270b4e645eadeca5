#include "read/ptx/lex.h"

#include <array>

namespace burin::read::ptx {
namespace {

enum CharacterClass : std::uint8_t {
  kSpace = 1,
  kDigit = 2,
  kWordStart = 4,  // also '%', where more of the word follows
  kInWord = 8,
  kHexDigit = 16,
  kSignCharacter = 32,
};

constexpr std::array<std::uint8_t, 256> kClasses = [] {
  std::array<std::uint8_t, 256> classes{};
  const auto mark = [&](std::string_view characters, unsigned bits) {
    for (const char c : characters) {
      std::uint8_t& entry = classes[static_cast<unsigned char>(c)];
      entry = static_cast<std::uint8_t>(entry | bits);
    }
  };
  mark(" \t\n\r\v\f", kSpace);
  mark("0123456789", kDigit | kInWord | kHexDigit);
  mark("abcdefABCDEF", kHexDigit);
  mark("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$", kWordStart | kInWord);
  mark("{}()[]<>,;:@!+-*/%&|^~?=", kSignCharacter);
  return classes;
}();

bool is(char c, unsigned bits) {
  return (kClasses[static_cast<unsigned char>(c)] & bits) != 0;
}

constexpr const char* kOpenComment = "the comment that starts here has no closing */";
constexpr const char* kOpenString = "the string that starts here has no closing quote on its line";
constexpr const char* kBadNumber = "this is not a number of PTX";

constexpr std::size_t kNone = std::string_view::npos;

}  // namespace

Token Lexer::token(TokenKind kind, std::size_t end) {
  Token result;
  result.kind = kind;
  result.span = {static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(end)};
  result.position = {line_, static_cast<std::uint32_t>(at_ - line_begin_ + 1)};
  at_ = end;
  return result;
}

Token Lexer::bad(const char* problem) const {
  Token result;
  result.kind = TokenKind::kBad;
  result.span = {static_cast<std::uint32_t>(at_), static_cast<std::uint32_t>(at_ + 1)};
  result.position = {line_, static_cast<std::uint32_t>(at_ - line_begin_ + 1)};
  result.problem = problem;
  return result;
}

// `# 12 "kernel.cu"` where a line starts: what a preprocessor leaves, and ptxas accepts.
bool Lexer::at_line_marker() const {
  for (std::size_t i = at_; i > line_begin_; --i) {
    if (!is(text_[i - 1], kSpace)) return false;
  }
  std::size_t i = at_ + 1;
  while (peek(i) == ' ' || peek(i) == '\t') ++i;
  return is(peek(i), kDigit);
}

bool Lexer::skip_blanks(Token& failed) {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') {
      ++at_;
      ++line_;
      line_begin_ = at_;
    } else if (is(c, kSpace)) {
      ++at_;
    } else if ((c == '/' && peek(at_ + 1) == '/') || (c == '#' && at_line_marker())) {
      const std::size_t end = text_.find('\n', at_);
      at_ = end == kNone ? text_.size() : end;
    } else if (c == '/' && peek(at_ + 1) == '*') {
      const std::size_t end = text_.find("*/", at_ + 2);
      if (end == kNone) {
        failed = bad(kOpenComment);
        return false;
      }
      for (std::size_t i = text_.find('\n', at_); i < end; i = text_.find('\n', i + 1)) {
        ++line_;
        line_begin_ = i + 1;
      }
      at_ = end + 2;
    } else {
      break;
    }
  }
  return true;
}

// Dots belong to a word where its next part follows at once, and "::" to the parts after the first:
// shared::cluster. In `L: .reg` and `a::b` the colons are signs.
std::size_t Lexer::end_of_word(std::size_t at, bool with_dots) const {
  bool in_modifier = !with_dots;
  while (true) {
    while (is(peek(at), kInWord)) ++at;
    if (with_dots && peek(at) == '.' && is(peek(at + 1), kInWord)) {
      in_modifier = true;
      ++at;
    } else if (in_modifier && peek(at) == ':' && peek(at + 1) == ':' && is(peek(at + 2), kInWord)) {
      at += 2;
    } else {
      return at;
    }
  }
}

// kNone if no number of PTX starts here.
std::size_t Lexer::end_of_number(std::size_t at) const {
  const auto skip = [&](unsigned bits) {
    const std::size_t from = at;
    while (is(peek(at), bits)) ++at;
    return at - from;
  };
  const char prefix = text_[at] == '0' ? static_cast<char>(peek(at + 1) | 0x20) : '\0';
  if (prefix == 'x' || prefix == 'b' || prefix == 'f' || prefix == 'd') {
    at += 2;
    const std::size_t digits = skip(prefix == 'b' ? unsigned{kDigit} : unsigned{kHexDigit});
    if (digits == 0 || (prefix == 'f' && digits != 8) || (prefix == 'd' && digits != 16)) {
      return kNone;
    }
    if (prefix == 'b' && text_.substr(at - digits, digits).find_first_not_of("01") != kNone) {
      return kNone;
    }
    if ((prefix == 'x' || prefix == 'b') && peek(at) == 'U') ++at;
    return is(peek(at), kInWord) ? kNone : at;
  }
  skip(kDigit);
  bool is_integer = true;
  if (peek(at) == '.' && is(peek(at + 1), kDigit)) {
    is_integer = false;
    ++at;
    skip(kDigit);
  }
  if ((peek(at) | 0x20) == 'e') {
    is_integer = false;
    ++at;
    if (peek(at) == '+' || peek(at) == '-') ++at;
    if (skip(kDigit) == 0) return kNone;
  }
  if (is_integer && peek(at) == 'U') ++at;
  return is(peek(at), kInWord) ? kNone : at;
}

// kNone without a closing quote on its line.
std::size_t Lexer::end_of_string(std::size_t at) const {
  for (++at; at < text_.size() && text_[at] != '\n'; ++at) {
    if (text_[at] == '"') return at + 1;
    if (text_[at] == '\\' && peek(at + 1) != '\n') ++at;
  }
  return kNone;
}

Token Lexer::next() {
  Token failed;
  if (!skip_blanks(failed)) return failed;
  if (at_ >= text_.size()) return token(TokenKind::kEnd, at_);
  const char c = text_[at_];
  const char second = peek(at_ + 1);
  if (is(c, kWordStart) || (c == '%' && is(second, kInWord))) {
    return token(TokenKind::kWord, end_of_word(at_ + 1, true));
  }
  if (is(c, kDigit)) {
    const std::size_t end = end_of_number(at_);
    return end == kNone ? bad(kBadNumber) : token(TokenKind::kNumber, end);
  }
  if (c == '.' && is(second, kInWord)) {
    return token(TokenKind::kDotWord, end_of_word(at_ + 1, false));
  }
  if (c == '"') {
    const std::size_t end = end_of_string(at_);
    return end == kNone ? bad(kOpenString) : token(TokenKind::kString, end);
  }
  if (c == '@' && text_.substr(at_).starts_with("@@DWARF")) {
    const std::size_t end = text_.find('\n', at_);
    return token(TokenKind::kDwarf, end == kNone ? text_.size() : end);
  }
  if (!is(c, kSignCharacter)) return bad(nullptr);
  Token result = token(TokenKind::kSign, at_ + 1);
  result.sign = c;
  return result;
}

bool is_blank(std::string_view text) {
  return Lexer(text).next().kind == TokenKind::kEnd;
}

}  // namespace burin::read::ptx
