// Sets of predicate literals, and the condition under which an instruction takes effect.
//
// A literal states that one predicate is true, or that it is false. A set of literals is a bit
// mask: bit 2p for "P<p> is true", bit 2p + 1 for "P<p> is false". The uniform predicates follow in
// the upper 16 bits.
#pragma once

#include <cstdint>

#include "read/isa/instruction.h"

namespace burin::read {

using Literals = std::uint32_t;

inline Literals literal(bool uniform, unsigned index, bool negated) {
  return index < 8 ? Literals{1} << (2 * (index + (uniform ? 8u : 0u)) + (negated ? 1u : 0u)) : 0;
}

inline Literals opposite(Literals set) {
  return (set & 0x55555555u) << 1 | (set >> 1 & 0x55555555u);
}

// True if the set has both literals of some predicate: together they cover every case.
inline bool covers_all(Literals set) {
  return (set & opposite(set)) != 0;
}

// The guard as a literal; 0 if the instruction always or never executes.
inline Literals guard_of(const Instruction& instruction) {
  const Guard& guard = instruction.guard;
  return guard.index == kZeroRegister ? 0 : literal(guard.uniform, guard.index, guard.negated);
}

// True for the guard `@!PT`: the instruction is issued but has no effect.
inline bool never_executes(const Instruction& instruction) {
  return instruction.guard.index == kZeroRegister && instruction.guard.negated;
}

}  // namespace burin::read
