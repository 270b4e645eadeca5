#include "read/ptx/token_stream.h"

#include <utility>

#include "base/format.h"
#include "read/ptx/number.h"

namespace burin::read::ptx {

std::string quoted(std::string_view text) {
  constexpr std::size_t kMaxLength = 40;
  std::string result = "'";
  for (const char c : text.substr(0, kMaxLength)) {
    if (c < ' ' || c > '~') {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + (text.size() > kMaxLength ? "…'" : "'");
}

TokenStream::TokenStream(Source& source)
    : source_(&source),
      lexer_(source.text),
      current_(lexer_.next()),
      after_current_(lexer_.next()) {}

void TokenStream::advance() {
  previous_end_ = current_.span.end;
  current_ = after_current_;
  after_current_ = lexer_.next();
}

bool TokenStream::at_dot_word(std::string_view word) const {
  return at(TokenKind::kDotWord) && dot_word() == word;
}

bool TokenStream::take(char sign) {
  if (!at(sign)) return false;
  advance();
  return true;
}

std::string_view TokenStream::text(const Token& token) const {
  return std::string_view(source_->text)
      .substr(token.span.begin, token.span.end - token.span.begin);
}

std::string_view TokenStream::join(std::string text) {
  return source_->joined.emplace_back(std::move(text));
}

bool TokenStream::read_integer(std::uint64_t& value, std::string_view what) {
  if (!at(TokenKind::kNumber)) return expected(what);
  const std::optional<std::uint64_t> read = unsigned_of(text());
  if (!read) {
    return fail_at(current_.position, fmt::format("{} is {}, not an integer of at most 64 bits",
                                                  what, quoted(text())));
  }
  value = *read;
  advance();
  return true;
}

bool TokenStream::skip_brackets(std::string_view what) {
  const Token opening = current_;
  std::string closing;  // what the brackets around still need
  do {
    if (at('(')) closing += ')';
    if (at('[')) closing += ']';
    if (at('{')) closing += '}';
    if (at(')') || at(']') || at('}')) {
      if (current_.sign != closing.back()) return expected(fmt::format("'{}'", closing.back()));
      closing.pop_back();
    }
    if (at(TokenKind::kEnd)) {
      return fail_at(opening.position,
                     fmt::format("{} has no closing '{}'", what, closing.front()));
    }
    if (at(TokenKind::kBad)) return expected(what);
    advance();
  } while (!closing.empty());
  return true;
}

bool TokenStream::expected(std::string_view what) {
  if (at(TokenKind::kEnd)) {
    return fail_at(current_.position, fmt::format("expected {}, but the text ends", what));
  }
  if (at(TokenKind::kBad)) {
    if (current_.problem != nullptr) return fail_at(current_.position, current_.problem);
    return fail_at(current_.position, fmt::format("PTX has no character {}", quoted(text())));
  }
  return fail_at(current_.position, fmt::format("expected {}, not {}", what, quoted(text())));
}

bool TokenStream::fail_at(Position position, std::string_view sentence) {
  if (error_.message.empty()) {
    error_.message =
        fmt::format("line {}, column {}: {}", position.line, position.column, sentence);
  }
  return false;
}

}  // namespace burin::read::ptx
