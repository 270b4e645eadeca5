#include "report/write/json.h"

#include <cmath>

#include "base/format.h"

namespace burin::report {
namespace {

// The length of the UTF-8 sequence that `text` starts with; 0: it is not UTF-8.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const auto continues = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return continues(1) ? 2 : 0;
  if ((first & 0xf0) == 0xe0) {
    if (!continues(1) || !continues(2)) return 0;
    const bool overlong = first == 0xe0 && byte(1) < 0xa0;
    const bool surrogate = first == 0xed && byte(1) >= 0xa0;
    return overlong || surrogate ? 0 : 3;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    if (!continues(1) || !continues(2) || !continues(3)) return 0;
    const bool overlong = first == 0xf0 && byte(1) < 0x90;
    const bool too_large = first == 0xf4 && byte(1) >= 0x90;
    return overlong || too_large ? 0 : 4;
  }
  return 0;
}

void escape(std::string_view text, std::string& out) {
  static constexpr char kHex[] = "0123456789abcdef";
  while (!text.empty()) {
    const char c = text.front();
    std::size_t length = 1;
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20) {
      out += "\\u00";
      out += kHex[c >> 4];
      out += kHex[c & 15];
    } else if (length = sequence_length(text); length == 0) {
      length = 1;
      out += "\\ufffd";
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(length);
  }
}

}  // namespace

void Json::begin(std::string_view key) {
  if (levels_.empty()) return;
  Level& level = levels_.back();
  if (!level.empty) out_.put(',');
  level.empty = false;
  if (level.bracket == '{') {
    write(key);
    out_.put(':');
  }
}

void Json::open(char bracket) {
  open({}, bracket);
}

void Json::open(std::string_view key, char bracket) {
  begin(key);
  if (bracket == '{' && !levels_.empty() && levels_.back().bracket == '[') out_.put('\n');
  out_.put(bracket);
  levels_.push_back({bracket, true});
}

void Json::close() {
  out_.put(levels_.back().bracket == '{' ? '}' : ']');
  levels_.pop_back();
  if (levels_.empty()) out_.put('\n');
}

void Json::write(double value) {
  out_.put(std::isfinite(value) ? fmt::format("{}", value) : "null");
}

void Json::write(std::string_view text) {
  std::string& buffer = out_.buffer();
  buffer += '"';
  escape(text, buffer);
  buffer += '"';
}

}  // namespace burin::report
