// Texts and whole numbers, one after the other, as one text. For code that other programs carry
// inside, which must not bring them fmt.
//
//   concat("line ", 12, ": ", message)      "line 12: …"
#pragma once

#include <concepts>
#include <string>
#include <string_view>

namespace burin {

inline void append(std::string& text, std::string_view part) {
  text += part;
}
inline void append(std::string& text, char part) {
  text += part;
}
template <std::integral T>
  requires(!std::same_as<T, char> && !std::same_as<T, bool>)
void append(std::string& text, T part) {
  text += std::to_string(part);
}

template <typename... Parts>
std::string concat(const Parts&... parts) {
  std::string text;
  (append(text, parts), ...);
  return text;
}

}  // namespace burin
