// Finds the instruction whose result a fixed stall count waits for.
#pragma once

#include <cstdint>

#include "read/program/kernel.h"

namespace burin::advise {

// Returns the instruction whose result the stall count of `before` waits for. ptxas writes the
// stall count into the instruction issued before the consumer, whichever instruction produces the
// result:
//
//   DFMA R0 …        stall 2     ← the cause
//   IADD3 R9 …       stall 6
//   DADD R2, R0 …    waits
//
// Returns `before` itself if the next instruction needs its result, or if no producer is in the
// basic block.
std::uint32_t awaited(const read::Kernel& kernel, std::uint32_t before, std::uint32_t waits);
// Returns the distance from `cause` to `waits` in instructions: 1 for a cause in another basic
// block, whatever other paths there are.
std::uint32_t distance_of_awaited(const read::Kernel& kernel, std::uint32_t cause,
                                  std::uint32_t waits);

}  // namespace burin::advise
