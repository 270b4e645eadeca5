#include "read/architecture.h"

#include <charconv>

namespace burin::read {

std::string to_string(Architecture arch) {
  std::string text = "sm_" + std::to_string(arch.sm);
  if (arch.variant != 0) text += arch.variant;
  return text;
}

std::optional<Architecture> parse_architecture(std::string_view text) {
  for (std::string_view prefix : {"sm_", "compute_", "SM", "sm"}) {
    if (text.starts_with(prefix)) {
      text.remove_prefix(prefix.size());
      break;
    }
  }
  Architecture arch;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), arch.sm);
  if (failure != std::errc{}) return std::nullopt;
  const std::string_view rest = text.substr(static_cast<std::size_t>(end - text.data()));
  if (rest == "a" || rest == "f") {
    arch.variant = rest[0];
  } else if (!rest.empty()) {
    return std::nullopt;
  }
  return arch;
}

}  // namespace burin::read
