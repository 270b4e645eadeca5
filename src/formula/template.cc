#include "formula/template.h"

#include <algorithm>

#include "base/format.h"

namespace burin::formula {
namespace {

// The brace that closes an expression, past braces of its own and texts in quotes.
std::size_t closing_brace(std::string_view text, std::size_t from) {
  int depth = 0;
  char quote = 0;
  for (std::size_t at = from; at < text.size(); ++at) {
    const char c = text[at];
    if (quote != 0) {
      if (c == '\\') ++at;
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}') {
      if (depth == 0) return at;
      --depth;
    }
  }
  return std::string_view::npos;
}

}  // namespace

Result<Template> Template::parse(std::string_view text) {
  Template result;
  result.text_ = text;
  std::string piece;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    const bool twice = at + 1 < text.size() && text[at + 1] == c;
    if ((c == '{' || c == '}') && twice) {
      piece += c;
      ++at;
      continue;
    }
    if (c == '}') {
      return Error{fmt::format("column {}: \"}}\" closes nothing in \"{}\"", at + 1, text),
                   Exit::kInput};
    }
    if (c != '{') {
      piece += c;
      continue;
    }
    const std::size_t end = closing_brace(text, at + 1);
    if (end == std::string_view::npos) {
      return Error{fmt::format("column {}: \"{{\" is never closed in \"{}\"", at + 1, text),
                   Exit::kInput};
    }
    Result<Expression> expression = Expression::parse(text.substr(at + 1, end - at - 1));
    if (!expression) return expression.error().within(fmt::format("\"{}\"", text));
    result.expressions_.push_back(std::move(*expression));
    result.pieces_.push_back(std::exchange(piece, ""));
    at = end;
  }
  result.pieces_.push_back(std::move(piece));
  return result;
}

std::vector<std::string> Template::names() const {
  std::vector<std::string> names;
  for (const Expression& expression : expressions_) {
    for (std::string& name : expression.names()) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
  }
  return names;
}

Result<void> Template::check_names(std::span<const std::string> known) const {
  for (const Expression& expression : expressions_) {
    if (Result<void> checked = expression.check_names(known); !checked) {
      return checked.error().within(fmt::format("\"{}\"", text_));
    }
  }
  return {};
}

Result<std::string> Template::fill(const Names& names) const {
  std::string text = pieces_.front();
  for (std::size_t i = 0; i < expressions_.size(); ++i) {
    const Result<Value> value = expressions_[i].evaluate(names);
    if (!value) return value.error().within(fmt::format("\"{}\"", text_));
    // 4*n/2 is a size, whatever the division made of it.
    const std::optional<std::int64_t> whole = integer(*value);
    text += whole && !std::holds_alternative<bool>(*value) ? fmt::format("{}", *whole)
                                                           : plain_text(*value);
    text += pieces_[i + 1];
  }
  return text;
}

}  // namespace burin::formula
