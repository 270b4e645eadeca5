// Float comparisons, independent of the format: two numbers are less, equal, greater or unordered,
// and a comparison is the set of these relations for which it is true.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "emulate/state/op.h"
#include "emulate/state/truth.h"
#include "emulate/state/warp.h"
#include "emulate/values/lanes.h"

namespace burin::emulate {

// In the encoding of the instruction words: F is 0, LT 1, EQ 2, LE 3 … NUM 7, NAN 8, LTU 9 … T 15.
enum Relation : std::uint8_t { kLess = 1, kEqual = 2, kGreater = 4, kUnordered = 8 };
// Parses a comparison: "GEU" → kGreater | kEqual | kUnordered.
std::optional<std::uint8_t> relations_named(std::string_view text);

// Returns 1 if the comparison is true, otherwise 0.
template <typename Float>
BURIN_INLINE inline std::uint32_t holds(std::uint32_t relations, Float a, Float b) {
  const std::uint32_t less = a < b ? relations & kLess : 0;
  const std::uint32_t equal = a == b ? relations & kEqual : 0;
  const std::uint32_t greater = a > b ? relations & kGreater : 0;
  const std::uint32_t unordered = a != a || b != b ? relations & kUnordered : 0;
  return (less | equal | greater | unordered) != 0 ? 1 : 0;
}

BURIN_INLINE inline void write_predicate(Warp& warp, std::uint8_t slot, Truth truth) {
  warp.set_predicate(slot, truth.value, truth.unknown);
}

}  // namespace burin::emulate
