// Behind the cycles that an instruction's stall count asks for stands a result that is not there
// yet.
#pragma once

#include <cstdint>

#include "read/program/kernel.h"

namespace burin::advise {

// Whose result the stall count of `before` waits for. ptxas writes it into the instruction before
// the one that needs a result, whosever result it is:
//
//   DFMA R0 …        stall 2     ← the cause
//   IADD3 R9 …       stall 6
//   DADD R2, R0 …    waits
//
// `before` itself where the next instruction needs its result, or none of the block's.
std::uint32_t awaited(const read::Kernel& kernel, std::uint32_t before, std::uint32_t waits);
// How far before `waits` such a cause is: 1 out of another block, whatever other ways there are.
std::uint32_t distance_of_awaited(const read::Kernel& kernel, std::uint32_t cause,
                                  std::uint32_t waits);

}  // namespace burin::advise
