// The GPU architecture that code is compiled for: sm_90, sm_90a, sm_100f.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace burin::read {

struct Architecture {
  std::uint16_t sm = 0;  // 75, 80, 86, 89, 90, 100, 103, 120, 121 …
  char variant = 0;      // 0: none; 'a': architecture-specific; 'f': family-specific

  auto operator<=>(const Architecture&) const = default;
};

std::string to_string(Architecture arch);  // "sm_90a"

// Parses "sm_90a", "SM90a", "90a" or "compute_90".
std::optional<Architecture> parse_architecture(std::string_view text);

}  // namespace burin::read
