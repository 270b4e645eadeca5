#include "tune/session/flat_json.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "base/format.h"

namespace burin::tune {
namespace {

using formula::Value;

void append_text(std::string& out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  out += '"';
}

void append_value(std::string& out, const Value& value) {
  if (const auto* flag = std::get_if<bool>(&value)) {
    out += *flag ? "true" : "false";
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    append_text(out, *text);
  } else if (const auto* real = std::get_if<double>(&value); real != nullptr && std::isnan(*real)) {
    out += "null";
  } else if (real != nullptr && std::isinf(*real)) {
    out += *real > 0 ? "1e999" : "-1e999";
  } else {
    out += formula::plain_text(value);
  }
}

// Reads what the functions above write, and white space besides.
class FlatReader {
 public:
  explicit FlatReader(std::string_view text) : rest_(text) {}

  bool take(char c) {
    skip_space();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  bool at_end() {
    skip_space();
    return rest_.empty();
  }

  std::optional<std::string> text() {
    if (!take('"')) return std::nullopt;
    std::string text;
    while (!rest_.empty() && rest_.front() != '"') {
      char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '\\') {
        const std::optional<char> escaped = escape();
        if (!escaped) return std::nullopt;
        c = *escaped;
      }
      text += c;
    }
    return take('"') ? std::optional(text) : std::nullopt;
  }

  std::optional<Value> value() {
    skip_space();
    if (rest_.starts_with('"')) {
      std::optional<std::string> read = text();
      return read ? std::optional<Value>(std::move(*read)) : std::nullopt;
    }
    const std::size_t size = std::min(rest_.find_first_of(",]} \n\t\r"), rest_.size());
    const std::string_view word = rest_.substr(0, size);
    rest_.remove_prefix(size);
    if (word == "true") return Value{true};
    if (word == "false") return Value{false};
    if (word == "null") return Value{std::numeric_limits<double>::quiet_NaN()};
    if (word == "1e999") return Value{std::numeric_limits<double>::infinity()};
    if (word == "-1e999") return Value{-std::numeric_limits<double>::infinity()};
    const char* end = word.data() + word.size();
    if (std::int64_t whole = 0;
        std::from_chars(word.data(), end, whole).ptr == end && !word.empty()) {
      return Value{whole};
    }
    double real = 0;
    const auto [at, failed] = std::from_chars(word.data(), end, real);
    if (word.empty() || at != end || failed != std::errc()) return std::nullopt;
    return Value{real};
  }

 private:
  void skip_space() {
    while (!rest_.empty() && std::string_view(" \n\t\r").find(rest_.front()) != rest_.npos) {
      rest_.remove_prefix(1);
    }
  }

  std::optional<char> escape() {
    if (rest_.empty()) return std::nullopt;
    const char kind = rest_.front();
    rest_.remove_prefix(1);
    if (kind == '"' || kind == '\\') return kind;
    unsigned code = 0;  // only control characters are written this way
    if (kind != 'u' || rest_.size() < 4 ||
        std::from_chars(rest_.data(), rest_.data() + 4, code, 16).ptr != rest_.data() + 4 ||
        code >= 0x20) {
      return std::nullopt;
    }
    rest_.remove_prefix(4);
    return static_cast<char>(code);
  }

  std::string_view rest_;
};

}  // namespace

std::string write_flat_json(std::span<const NamedValue> values) {
  std::string out = "{";
  for (const auto& [name, value] : values) {
    if (out.size() > 1) out += ',';
    append_text(out, name);
    out += ':';
    append_value(out, value);
  }
  return out + '}';
}

std::optional<std::vector<NamedValue>> parse_flat_json(std::string_view text) {
  FlatReader in(text);
  std::vector<NamedValue> values;
  if (!in.take('{')) return std::nullopt;
  if (in.take('}')) return in.at_end() ? std::optional(values) : std::nullopt;
  do {
    std::optional<std::string> name = in.text();
    if (!name || !in.take(':')) return std::nullopt;
    std::optional<Value> value = in.value();
    if (!value) return std::nullopt;
    values.emplace_back(std::move(*name), std::move(*value));
  } while (in.take(','));
  return in.take('}') && in.at_end() ? std::optional(std::move(values)) : std::nullopt;
}

std::string write_json_list(std::span<const Value> values) {
  std::string out = "[";
  for (const Value& value : values) {
    if (out.size() > 1) out += ',';
    append_value(out, value);
  }
  return out + ']';
}

std::optional<std::vector<Value>> parse_json_list(std::string_view text) {
  FlatReader in(text);
  std::vector<Value> values;
  if (!in.take('[')) return std::nullopt;
  if (in.take(']')) return in.at_end() ? std::optional(values) : std::nullopt;
  do {
    std::optional<Value> value = in.value();
    if (!value) return std::nullopt;
    values.push_back(std::move(*value));
  } while (in.take(','));
  return in.take(']') && in.at_end() ? std::optional(std::move(values)) : std::nullopt;
}

}  // namespace burin::tune
