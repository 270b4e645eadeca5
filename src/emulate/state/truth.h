// A predicate of 32 lanes during evaluation; each lane is true, false or Unknown. A known operand
// decides the result if it can: false AND Unknown is false.
//
//   Truth less{warp_lanes_that_are_less, unknown_lanes};
//   const Truth out = combine(Logic::kAnd, less, truth_of(warp, op.predicate_in[0]));
//   warp.set_predicate(op.predicate_out[0], out.value, out.unknown);
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "emulate/state/op.h"
#include "emulate/state/warp.h"
#include "emulate/values/lanes.h"

namespace burin::emulate {

struct Truth {
  Mask value = 0;
  Mask unknown = 0;  // Unknown lanes; their bits in `value` are meaningless

  BURIN_INLINE Mask surely() const { return value & ~unknown; }
  BURIN_INLINE Mask maybe() const { return value | unknown; }
  BURIN_INLINE Truth operator~() const { return {~value, unknown}; }
};

BURIN_INLINE inline Truth operator&(Truth a, Truth b) {
  return {a.value & b.value, (a.unknown | b.unknown) & a.maybe() & b.maybe()};
}
BURIN_INLINE inline Truth operator|(Truth a, Truth b) {
  return {a.value | b.value, (a.unknown | b.unknown) & ~a.surely() & ~b.surely()};
}
BURIN_INLINE inline Truth operator^(Truth a, Truth b) {
  return {a.value ^ b.value, a.unknown | b.unknown};
}

BURIN_INLINE inline Truth truth_of(const Warp& warp, PredicateSource p) {
  return {warp.get(p), warp.unknown_of(p)};
}

enum class Logic : std::uint8_t { kAnd, kOr, kXor };

BURIN_INLINE inline Truth combine(Logic logic, Truth a, Truth b) {
  return logic == Logic::kAnd ? a & b : logic == Logic::kOr ? a | b : a ^ b;
}

inline std::optional<Logic> logic_named(std::string_view text) {
  if (text == "AND") return Logic::kAnd;
  if (text == "OR") return Logic::kOr;
  if (text == "XOR") return Logic::kXor;
  return std::nullopt;
}

}  // namespace burin::emulate
