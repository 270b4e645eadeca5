#include "emulate/numbers/float_compare.h"

#include <array>

namespace burin::emulate {

std::optional<std::uint8_t> relations_named(std::string_view text) {
  static constexpr std::array<std::string_view, 16> kNames = {
      "F",   "LT",  "EQ",  "LE",  "GT",  "NE",  "GE",  "NUM",
      "NAN", "LTU", "EQU", "LEU", "GTU", "NEU", "GEU", "T"};
  for (std::size_t k = 0; k < kNames.size(); ++k)
    if (text == kNames[k]) return static_cast<std::uint8_t>(k);
  return std::nullopt;
}

}  // namespace burin::emulate
