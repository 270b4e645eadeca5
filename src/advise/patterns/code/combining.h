// How a block combines the values of its threads at its end: a tree in shared memory, or shuffles
// and a second round over the warps' sums.
//
//   const read::InstructionSet combining = combining_code(c, origins);
//   rework(c, streamed(c, combining, atomics, 0.01)).time_us     with a hundredth of the blocks
#pragma once

#include "advise/case/case.h"
#include "advise/case/origin.h"
#include "advise/case/rework.h"

namespace burin::advise {

// Returns the instructions behind a barrier after which nothing is loaded from global memory, and
// nothing is done to loaded values but adding, comparing and moving them between threads. A block
// with more elements executes them once all the same. Empty if the block stores results there other
// than by atomics.
read::InstructionSet combining_code(const Case& c, const Origins& origins);

// Elements that one 16-byte load of a thread brings, of the widest array that it loads.
double elements_at_once(const Case& c);

// The work of the launch with the fraction `fewer` of its blocks, whose threads add up many
// elements each in registers, loaded 16 bytes at a time: `combining` and the `updates` of global
// memory are executed once per block. Needs a study.
Work streamed(const Case& c, const read::InstructionSet& combining,
              const read::InstructionSet& updates, double fewer);

}  // namespace burin::advise
