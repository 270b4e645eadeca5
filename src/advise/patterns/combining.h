// How a block combines the values of its threads at its end: a tree in shared memory, or shuffles
// and a second round over the warps' sums.
//
//   const read::InstructionSet combining = combining_code(c, origins);
#pragma once

#include "advise/case/case.h"
#include "advise/case/origin.h"

namespace burin::advise {

// Returns the instructions behind a barrier after which nothing is loaded from global memory, and
// nothing is done to loaded values but adding, comparing and moving them between threads. A block
// with more elements executes them once all the same. Empty if the block stores results there other
// than by atomics.
read::InstructionSet combining_code(const Case& c, const Origins& origins);

}  // namespace burin::advise
