#include "tune/formats/value_list.h"

#include <optional>
#include <string>
#include <utility>

#include "base/format.h"
#include "formula/expression.h"

namespace burin::tune {
namespace {

using formula::Expression;
using formula::Names;
using formula::Value;
using Values = std::vector<Value>;

constexpr std::size_t kMaxListValues = 65536;  // of one parameter: what build_space() takes
constexpr int kMaxListDepth = 20;

std::string_view without_spaces(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

// The first occurrence of `wanted` from `from` on that is outside of brackets and quotes; of a
// word, as a whole word.
std::size_t find_outside(std::string_view text, std::string_view wanted, std::size_t from = 0) {
  int depth = 0;
  const bool word = is_word_character(wanted.front());
  for (std::size_t at = from; at < text.size(); ++at) {
    const char c = text[at];
    if (depth == 0 && text.substr(at).starts_with(wanted)) {
      const std::size_t end = at + wanted.size();
      const bool inside = word && ((at > 0 && is_word_character(text[at - 1])) ||
                                   (end < text.size() && is_word_character(text[end])));
      if (!inside) return at;
    }
    if (c == '"' || c == '\'') {
      for (++at; at < text.size() && text[at] != c; ++at) {
        if (text[at] == '\\') ++at;
      }
    } else if (c == '[' || c == '(' || c == '{') {
      ++depth;
    } else if (c == ']' || c == ')' || c == '}') {
      --depth;
    }
  }
  return std::string_view::npos;
}

// The text between the brackets, if `open` starts the text and its closing bracket ends it.
std::optional<std::string_view> bracketed(std::string_view text, std::string_view open) {
  const char close = open.back() == '[' ? ']' : ')';
  if (!text.starts_with(open)) return std::nullopt;
  const std::string_view rest = text.substr(open.size());
  // Outside of the brackets that open after `open`, the first closing one is its own.
  if (find_outside(rest, std::string_view(&close, 1)) != rest.size() - 1) return std::nullopt;
  return rest.substr(0, rest.size() - 1);
}

std::vector<std::string_view> split_outside(std::string_view text, std::string_view separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = find_outside(text, separator);
    parts.push_back(without_spaces(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + separator.size());
  }
}

class ListReader {
 public:
  Result<Values> list(std::string_view text) {
    if (++depth_ > kMaxListDepth) {
      return Error{fmt::format("lists are nested more than {} levels deep", kMaxListDepth)};
    }
    Result<Values> values = sum(without_spaces(text));
    --depth_;
    return values;
  }

 private:
  // [1, 2] + [4]; a text that is not made of lists is one of elements without brackets.
  Result<Values> sum(std::string_view text) {
    const std::vector<std::string_view> parts = split_outside(text, "+");
    for (const std::string_view part : parts) {
      if (!is_list(part)) return elements(text);
    }
    Values values;
    for (const std::string_view part : parts) {
      const Result<Values> more = one_list(part);
      if (!more) return more;
      if (Result<void> fits = append(values, *more); !fits) return fits.error();
    }
    return values;
  }

  // Parentheses around one expression, without a comma, make no list.
  static bool is_list(std::string_view text) {
    const auto tuple = bracketed(text, "(");
    return bracketed(text, "[") || bracketed(text, "range(") || bracketed(text, "list(") ||
           (tuple && find_outside(*tuple, ",") != std::string_view::npos);
  }

  Result<Values> one_list(std::string_view text) {
    if (const auto limits = bracketed(text, "range(")) return range(*limits);
    if (const auto inner = bracketed(text, "list(")) return list(*inner);
    if (const auto inner = bracketed(text, "[")) return elements(*inner);
    return elements(*bracketed(text, "("));
  }

  Result<Values> elements(std::string_view text) {
    if (const std::size_t at = find_outside(text, "for"); at != std::string_view::npos) {
      return comprehension(text.substr(0, at), text.substr(at + 3));
    }
    std::vector<std::string_view> parts = split_outside(text, ",");
    if (parts.back().empty()) parts.pop_back();  // "[1, 2,]" and "[]"
    Values values;
    for (const std::string_view part : parts) {
      Result<Values> more = part.starts_with('*') ? list(part.substr(1)) : one_value(part, {});
      if (!more) return more;
      if (Result<void> fits = append(values, *more); !fits) return fits.error();
    }
    return values;
  }

  // `rest` is what follows "for": i in range(4) if i != 1.
  Result<Values> comprehension(std::string_view element, std::string_view rest) {
    const std::size_t in = find_outside(rest, "in");
    if (in == std::string_view::npos) return Error{"\"in\" is missing after \"for\""};
    const std::string name(without_spaces(rest.substr(0, in)));
    rest.remove_prefix(in + 2);
    const std::size_t condition = find_outside(rest, "if");
    const Result<Expression> value = Expression::parse(without_spaces(element));
    if (!value) return value.error();
    const Result<Values> from = list(rest.substr(0, condition));
    if (!from) return from;
    std::optional<Expression> restriction;
    if (condition != std::string_view::npos) {
      Result<Expression> parsed = Expression::parse(without_spaces(rest.substr(condition + 2)));
      if (!parsed) return parsed.error();
      restriction = std::move(*parsed);
    }
    Values values;
    for (const Value& each : *from) {
      const Names names{{name, each}};
      const Result<bool> taken = restriction ? restriction->holds(names) : Result<bool>(true);
      if (!taken) return taken.error();
      if (!*taken) continue;
      Result<Value> made = value->evaluate(names);
      if (!made) return made.error();
      values.push_back(std::move(*made));
    }
    return values;
  }

  static Result<Values> one_value(std::string_view text, const Names& names) {
    const Result<Expression> expression = Expression::parse(text);
    if (!expression) return expression.error();
    Result<Value> value = expression->evaluate(names);
    if (!value) return value.error();
    return Values{std::move(*value)};
  }

  static Result<Values> range(std::string_view text) {
    std::vector<std::int64_t> limits;
    for (const std::string_view part : split_outside(text, ",")) {
      const Result<Expression> expression = Expression::parse(part);
      if (!expression) return expression.error();
      const Result<std::int64_t> limit = expression->evaluate_integer({});
      if (!limit) return limit.error();
      limits.push_back(*limit);
    }
    if (limits.size() > 3) return Error{"range() takes one to three integers"};
    const std::int64_t first = limits.size() == 1 ? 0 : limits[0];
    const std::int64_t end = limits.size() == 1 ? limits[0] : limits[1];
    const std::int64_t step = limits.size() == 3 ? limits[2] : 1;
    if (step == 0) return Error{"the step of range() is 0"};
    Values values;
    for (std::int64_t value = first; step > 0 ? value < end : value > end;) {
      if (values.size() == kMaxListValues) return too_many();
      values.emplace_back(value);
      if (__builtin_add_overflow(value, step, &value)) break;
    }
    return values;
  }

  static Result<void> append(Values& values, const Values& more) {
    if (values.size() + more.size() > kMaxListValues) return too_many();
    values.insert(values.end(), more.begin(), more.end());
    return {};
  }

  static Error too_many() {
    return Error{fmt::format("the list has more than {} values", kMaxListValues)};
  }

  int depth_ = 0;
};

}  // namespace

Result<std::vector<formula::Value>> parse_value_list(std::string_view text) {
  return ListReader().list(text);
}

}  // namespace burin::tune
