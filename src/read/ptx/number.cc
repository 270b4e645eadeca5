#include "read/ptx/number.h"

#include <charconv>

namespace burin::read::ptx {

std::optional<std::uint64_t> unsigned_of(std::string_view text) {
  if (text.ends_with('U')) text.remove_suffix(1);
  int base = 10;
  if (text.size() > 1 && text[0] == '0') {
    const char prefix = static_cast<char>(text[1] | 0x20);
    base = prefix == 'x' ? 16 : prefix == 'b' ? 2 : 8;
    text.remove_prefix(base == 8 ? 1 : 2);
  }
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc{} || at != end) return std::nullopt;
  return value;
}

std::optional<std::int64_t> integer_of(std::string_view text) {
  bool negative = false;
  while (!text.empty() && (text[0] == '-' || text[0] == '+' || text[0] == ' ' || text[0] == '\t')) {
    negative ^= text[0] == '-';
    text.remove_prefix(1);
  }
  const std::optional<std::uint64_t> value = unsigned_of(text);
  if (!value) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - *value : *value);
}

}  // namespace burin::read::ptx
