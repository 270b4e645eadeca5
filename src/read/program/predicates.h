// Sets of predicate literals, and the condition under which an instruction takes effect.
//
// A literal says that one predicate holds, or that it does not. A set of them is a bit mask: bit 2p
// for "P<p> holds", bit 2p + 1 for "P<p> does not", the uniform predicates behind the others.
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

// True where the set names some predicate both ways: together they cover every case.
inline bool covers_all(Literals set) {
  return (set & opposite(set)) != 0;
}

// The guard as a literal: none where the instruction always, or never, takes effect.
inline Literals guard_of(const Instruction& instruction) {
  const Guard& guard = instruction.guard;
  return guard.index == kZeroRegister ? 0 : literal(guard.uniform, guard.index, guard.negated);
}

// `@!PT`: issued, and does nothing.
inline bool never_executes(const Instruction& instruction) {
  return instruction.guard.index == kZeroRegister && instruction.guard.negated;
}

}  // namespace burin::read
