// Values that nothing hangs on. When a kernel is executed only to see what it does, a value matters
// as far as it decides where the kernel goes, which addresses it uses, or what others are told by
// atomics and barriers. Most of what it computes is only stored, and need not be computed:
//
//   LDG R4, [R2.64]      the address matters, what is loaded does not …
//   FFMA R4, R4, R6, R7  … so neither does this
//   STG [R8.64], R4
//   ISETP P0, R9, R10    decides how often the loop goes round: needed, and all that leads to it
//
// A value that goes through memory is followed there: what is stored is needed where a load that is
// needed may read it, by the space and in global memory by the allocation (address_places.h).
#pragma once

#include <cstdint>
#include <vector>

#include "emulate/memory/memory.h"
#include "emulate/state/lower.h"
#include "read/program/kernel.h"

namespace burin::timing {

// Per instruction, 1: it can be left out; a load, a store or a copy has only to say where it goes.
// Guards are never left out. All are 0 where the program cannot be followed: a branch to a place
// that is not known, a value with too many producers. `kernel` must have dependences.
std::vector<std::uint8_t> unneeded_values(const read::Kernel& kernel,
                                          const emulate::ConstantMemory& constants,
                                          const emulate::GlobalMemory& memory);

// Makes the program leave them out.
void leave_out(const std::vector<std::uint8_t>& unneeded, emulate::Program& program);

}  // namespace burin::timing
