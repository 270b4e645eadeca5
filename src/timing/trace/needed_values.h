// Finds values that do not affect timing. When a kernel is executed only to trace it, a value
// matters only if it affects control flow, addresses, or what other threads receive through atomics
// and barriers. Most of what a kernel computes is only stored and need not be computed:
//
//   LDG R4, [R2.64]      the address matters, the loaded value does not …
//   FFMA R4, R4, R6, R7  … so neither does this result
//   STG [R8.64], R4
//   ISETP P0, R9, R10    decides the loop's trip count: needed, with everything it depends on
//
// Values are also followed through memory: a stored value is needed if a needed load may read it,
// judged by memory space and, for global memory, by allocation (address_places.h).
#pragma once

#include <cstdint>
#include <vector>

#include "emulate/memory/memory.h"
#include "emulate/state/lower.h"
#include "read/program/kernel.h"

namespace burin::timing {

// Returns one entry per instruction; 1: its value can be skipped, and a load, store or copy only
// has to report its addresses. Guard predicates are never skipped. All entries are 0 if the program
// cannot be analysed: it has a branch with an unknown target, or a value with too many producers.
// `kernel` must have dependences.
std::vector<std::uint8_t> unneeded_values(const read::Kernel& kernel,
                                          const emulate::ConstantMemory& constants,
                                          const emulate::GlobalMemory& memory);

// Makes the program skip the unneeded values.
void leave_out(const std::vector<std::uint8_t>& unneeded, emulate::Program& program);

}  // namespace burin::timing
