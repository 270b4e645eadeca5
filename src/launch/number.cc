#include "launch/number.h"

#include "base/bytes.h"

namespace burin::launch {

std::optional<std::uint64_t> parse_bytes(std::string_view text) {
  static constexpr std::string_view kUnits = "KkMmGg";
  std::uint64_t unit = 1;
  if (!text.empty()) {
    const std::size_t at = kUnits.find(text.back());
    if (at != std::string_view::npos) {
      unit = std::uint64_t{1024} << (10 * (at / 2));
      text.remove_suffix(1);
    }
  }
  const std::optional<std::uint64_t> count = parse_integer<std::uint64_t>(text);
  return count ? checked_mul(*count, unit) : std::nullopt;
}

}  // namespace burin::launch
