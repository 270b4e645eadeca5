// Stands for fmt's header when the sources of base/ and formula/ are compiled into the launch
// library: nothing of fmt may get into other people's programs. Knows what error messages use, {}
// and {{ and }}; whatever stands after a colon is ignored.
//
//   fmt::format("\"{}\" has no value", name)
#pragma once

#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <type_traits>

namespace burin::runtime::plain_format {

template <typename T>
std::string text_of(const T& value) {
  if constexpr (std::is_same_v<T, bool>) {
    return value ? "true" : "false";
  } else if constexpr (std::is_same_v<T, char>) {
    return std::string(1, value);
  } else if constexpr (std::is_arithmetic_v<T>) {
    char digits[64];
    const auto end = std::to_chars(digits, digits + sizeof digits, value);
    return std::string(digits, end.ptr);
  } else {
    return std::string(std::string_view(value));
  }
}

inline std::string fill(std::string_view pattern, const std::string* values, std::size_t count) {
  std::string text;
  std::size_t next = 0;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if ((c == '{' || c == '}') && i + 1 < pattern.size() && pattern[i + 1] == c) {
      text += c;
      ++i;
    } else if (c == '{') {
      const std::size_t end = pattern.find('}', i);
      if (end == std::string_view::npos) break;
      if (next < count) text += values[next++];
      i = end;
    } else {
      text += c;
    }
  }
  return text;
}

template <typename... Values>
std::string format(std::string_view pattern, const Values&... values) {
  const std::array<std::string, sizeof...(Values) + 1> texts = {text_of(values)..., ""};
  return fill(pattern, texts.data(), sizeof...(Values));
}

}  // namespace burin::runtime::plain_format

namespace fmt = burin::runtime::plain_format;
