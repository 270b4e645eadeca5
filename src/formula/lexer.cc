#include "formula/lexer.h"

#include <array>
#include <charconv>

#include "base/concat.h"
#include "formula/position.h"

namespace burin::formula {
namespace {

// Longer signs first.
constexpr std::array<std::string_view, 34> kSigns = {
    "**", "//", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+", "-", "*", "/", "%", "<", ">",
    "!",  "~",  "&",  "|",  "^",  "(",  ")",  "[",  "]",  "{",  "}", ",", "?", ":", ".", "=", ";"};

bool is_space(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool continues_name(char c) {
  return starts_name(c) || is_digit(c);
}

Result<Token> quoted_text(std::string_view text, std::size_t offset) {
  const char quote = text[offset];
  std::string value;
  std::size_t at = offset + 1;
  for (; at < text.size() && text[at] != quote; ++at) {
    if (text[at] != '\\') {
      value += text[at];
      continue;
    }
    ++at;
    if (at == text.size()) break;
    switch (text[at]) {
      case '\\':
      case '\'':
      case '"':
        value += text[at];
        break;
      case 'n':
        value += '\n';
        break;
      case 't':
        value += '\t';
        break;
      default:
        return error_at(text, at - 1,
                        "a backslash in a text is only for \\\\, \\\", \\', \\n and \\t");
    }
  }
  if (at >= text.size()) {
    return error_at(text, offset, concat("the text that starts here has no closing ", quote));
  }
  return Token{Token::Kind::kLiteral, offset, text.substr(offset, at + 1 - offset), value};
}

Result<Token> whole_number(std::string_view text, std::size_t offset, std::string_view digits,
                           int base, std::size_t size) {
  const std::string_view written = text.substr(offset, size);
  std::int64_t value = 0;
  const auto [end, problem] =
      std::from_chars(digits.data(), digits.data() + digits.size(), value, base);
  if (problem == std::errc::result_out_of_range) {
    return error_at(text, offset, concat(written, " does not fit in 64 bits"));
  }
  if (problem != std::errc() || end != digits.data() + digits.size()) {
    return error_at(text, offset, concat("\"", written, "\" is not a number"));
  }
  if (base == 10 && digits.size() > 1 && digits.front() == '0' && value != 0) {
    return error_at(text, offset,
                    concat(written, " starts with 0: write ", value, " for the decimal number"));
  }
  return Token{Token::Kind::kLiteral, offset, written, value};
}

Result<Token> number_token(std::string_view text, std::size_t offset) {
  // Letters belong to it too, so that "32x" is one wrong number and not a number and a name.
  std::size_t end = offset;
  bool real = false;
  const bool hexadecimal = text.substr(offset, 2) == "0x" || text.substr(offset, 2) == "0X";
  const bool binary = text.substr(offset, 2) == "0b" || text.substr(offset, 2) == "0B";
  while (end < text.size() && (continues_name(text[end]) || text[end] == '.')) {
    const char c = text[end++];
    if (hexadecimal || binary) continue;
    if (c == '.') real = true;
    if (c != 'e' && c != 'E') continue;
    real = true;
    if (end < text.size() && (text[end] == '+' || text[end] == '-')) ++end;
  }
  const std::string_view written = text.substr(offset, end - offset);
  if (hexadecimal || binary) {
    return whole_number(text, offset, written.substr(2), hexadecimal ? 16 : 2, written.size());
  }
  if (!real) return whole_number(text, offset, written, 10, written.size());
  double value = 0;
  const auto [last, problem] =
      std::from_chars(written.data(), written.data() + written.size(), value);
  if (problem == std::errc::result_out_of_range) {
    return error_at(text, offset, concat(written, " is outside the range of a double"));
  }
  if (problem != std::errc() || last != written.data() + written.size()) {
    return error_at(text, offset, concat("\"", written, "\" is not a number"));
  }
  return Token{Token::Kind::kLiteral, offset, written, value};
}

}  // namespace

Result<Token> next_token(std::string_view text, std::size_t offset) {
  while (offset < text.size() && is_space(text[offset])) ++offset;
  if (offset >= text.size()) return Token{Token::Kind::kEnd, text.size(), {}, {}};
  const char c = text[offset];
  if (c == '"' || c == '\'') return quoted_text(text, offset);
  const bool fraction = c == '.' && offset + 1 < text.size() && is_digit(text[offset + 1]);
  if (is_digit(c) || fraction) return number_token(text, offset);
  if (starts_name(c)) {
    std::size_t end = offset;
    while (end < text.size() && continues_name(text[end])) ++end;
    const std::string_view word = text.substr(offset, end - offset);
    if (word == "True" || word == "true") {
      return Token{Token::Kind::kLiteral, offset, word, true};
    }
    if (word == "False" || word == "false") {
      return Token{Token::Kind::kLiteral, offset, word, false};
    }
    return Token{Token::Kind::kName, offset, word, {}};
  }
  for (const std::string_view written : kSigns) {
    if (text.substr(offset, written.size()) == written) {
      return Token{Token::Kind::kSign, offset, text.substr(offset, written.size()), {}};
    }
  }
  std::size_t end = offset + 1;  // the whole character, should it have several bytes
  while (end < text.size() && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) ++end;
  return error_at(text, offset,
                  concat("\"", text.substr(offset, end - offset), "\" has no meaning here"));
}

}  // namespace burin::formula
