#include "formula/position.h"

#include <algorithm>

#include "base/concat.h"

namespace burin::formula {
namespace {

bool continues_character(char c) {  // a byte of UTF-8 that is not a character's first
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

}  // namespace

Error error_at(std::string_view text, std::size_t offset, std::string_view message) {
  constexpr std::size_t kShownBefore = 80;
  constexpr std::size_t kShownBytes = 160;
  offset = std::min(offset, text.size());
  const auto column =
      1 + std::count_if(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset),
                        [](char c) { return !continues_character(c); });
  std::size_t first = offset > kShownBefore ? offset - kShownBefore : 0;
  if (text.size() <= kShownBytes) first = 0;
  std::size_t last = std::min(text.size(), first + kShownBytes);
  while (first > 0 && continues_character(text[first])) --first;
  while (last < text.size() && continues_character(text[last])) ++last;
  return {concat("column ", column, ": ", message, " in \"", first > 0 ? "…" : "",
                 text.substr(first, last - first), last < text.size() ? "…" : "", "\"")};
}

}  // namespace burin::formula
