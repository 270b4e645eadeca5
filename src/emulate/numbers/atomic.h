// Computes the new value in memory of an atomic.
//
//   const AtomicRule* rule = find_atomic("ADD", "F16x4.RN");   // 8 bytes per lane, 2 halves a time
//   rule->combine(old, operand, 0)                             // the new 4 bytes
#pragma once

#include <cstdint>
#include <string_view>

#include "emulate/memory/memory.h"

namespace burin::emulate {

struct AtomicRule {
  std::string_view operation;  // as the modifiers of the same names print it
  std::string_view type;
  std::uint8_t bytes = 0;  // bytes per lane
  std::uint8_t unit = 0;   // bytes updated atomically; `bytes` is a multiple of it
  bool is_float = false;
  bool replaces = false;  // the result does not depend on the old value
  Combine combine = nullptr;
};

// Returns null if there is no such atomic. Compare-and-swap and exchange of 16 bytes have no
// `combine`.
const AtomicRule* find_atomic(std::string_view operation, std::string_view type);

// Conversion between a rule and its number, which is stored in Op::immediate.
std::uint32_t atomic_number(const AtomicRule& rule);
const AtomicRule& atomic_rule(std::uint32_t number);

}  // namespace burin::emulate
