// Parses numbers from the command line. The whole text must be the number, and it must be in range;
// otherwise the result is empty.
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string_view>

namespace burin::launch {

// Parses 42, -7 (if T is signed) or 0x2a.
template <std::integral T>
std::optional<T> parse_integer(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    text.remove_prefix(2);
    base = 16;
    if (text.starts_with('-')) return std::nullopt;  // from_chars would accept the sign of 0x-7
  }
  T value;
  const char* begin = text.data();
  const char* end = begin + text.size();
  const auto [stop, wrong] = std::from_chars(begin, end, value, base);
  if (wrong != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// Parses 1.5, -2e-3, inf or nan, rounded to the nearest T.
template <std::floating_point T>
std::optional<T> parse_real(std::string_view text) {
  T value;
  const char* begin = text.data();
  const char* end = begin + text.size();
  const auto [stop, wrong] = std::from_chars(begin, end, value);
  if (wrong != std::errc{} || stop != end) return std::nullopt;
  return value;
}

// Parses 4096, 64K, 16M or 2G: K, M and G (or k, m and g) are powers of 1024.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace burin::launch
