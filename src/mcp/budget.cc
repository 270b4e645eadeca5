#include "mcp/budget.h"

#include <algorithm>
#include <charconv>

#include "base/concat.h"

namespace burin::mcp {
namespace {

enum class CharKind { kSpace, kLetter, kDigit, kOther };

CharKind char_kind(char c) {
  const auto byte = static_cast<unsigned char>(c);
  if (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r') return CharKind::kSpace;
  if (byte >= '0' && byte <= '9') return CharKind::kDigit;
  const unsigned char lower = byte | 0x20;
  return lower >= 'a' && lower <= 'z' ? CharKind::kLetter : CharKind::kOther;
}

// The bytes that follow the first one of a UTF-8 character.
bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

// Counts tokens character by character.
class Counter {
 public:
  std::size_t add(char c) {
    if (is_continuation(c)) return tokens_;
    const CharKind kind = char_kind(c);
    run_ = kind == last_ ? run_ + 1 : 1;
    last_ = kind;
    const std::size_t per_token = kind == CharKind::kLetter ? 4 : kind == CharKind::kDigit ? 3 : 1;
    if (kind == CharKind::kSpace) {
      // A single space belongs to the word after it; a line end or a longer run is a token.
      tokens_ += run_ == 2 || (run_ == 1 && c == '\n') ? 1 : 0;
    } else if (run_ % per_token == 1 || per_token == 1) {
      ++tokens_;
    }
    return tokens_;
  }

 private:
  CharKind last_ = CharKind::kOther;
  std::size_t run_ = 0;
  std::size_t tokens_ = 0;
};

Part part_of(const std::string& text, std::size_t from, std::size_t tokens, std::size_t number) {
  const std::string_view all = std::string_view(text).substr(from);
  const std::size_t size = fitting_bytes(all, tokens);
  Part part{.text = std::string(all.substr(0, size))};
  if (size < all.size()) {
    part.more = std::to_string(number) + "@" + std::to_string(from + size);
    part.left_bytes = all.size() - size;
  }
  return part;
}

bool parse_number(std::string_view text, std::size_t& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::size_t estimate_tokens(std::string_view text) {
  Counter counter;
  std::size_t tokens = 0;
  for (const char c : text) tokens = counter.add(c);
  return tokens;
}

std::size_t fitting_bytes(std::string_view text, std::size_t tokens) {
  Counter counter;
  std::size_t line_end = 0;
  for (std::size_t k = 0; k < text.size(); ++k) {
    if (counter.add(text[k]) > tokens) {
      if (line_end > 0) return line_end;
      while (k > 0 && is_continuation(text[k])) --k;
      return std::max<std::size_t>(k, 1);
    }
    if (text[k] == '\n') line_end = k + 1;
  }
  return text.size();
}

Part Answers::first(std::string text, std::size_t tokens) {
  Part part = part_of(text, 0, tokens, next_);
  if (!part.more.empty()) {
    kept_.push_back({next_++, std::move(text)});
    if (kept_.size() > kKept) kept_.pop_front();
  }
  return part;
}

Result<Part> Answers::rest(std::string_view handle, std::size_t tokens) const {
  const std::size_t at = handle.find('@');
  std::size_t number = 0, from = 0;
  if (at == std::string_view::npos || !parse_number(handle.substr(0, at), number) ||
      !parse_number(handle.substr(at + 1), from)) {
    return Error{concat("more: '", handle.substr(0, 80),
                        "' is not a handle; take it from the end of an answer"),
                 Exit::kUsage};
  }
  const auto kept = std::ranges::find(kept_, number, &Kept::number);
  if (kept == kept_.end() || from >= kept->text.size() || is_continuation(kept->text[from])) {
    return Error{concat("more: '", handle.substr(0, 80),
                        "' is gone; only the last answers are kept: ask again"),
                 Exit::kUsage};
  }
  return part_of(kept->text, from, tokens, number);
}

}  // namespace burin::mcp
