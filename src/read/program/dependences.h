// Def-use chains through registers and scoreboards. Dependence (kernel.h) defines what counts as a
// dependence.
//
// For each register, a search goes backward from every use. Inside a block it looks only at writes
// of that register. When it reaches the top of a block, the question "which writes reach the start
// of this block" becomes a node: (block, what the search still looks for). All uses of the register
// share the nodes. Each node is solved once, the nodes of a strongly connected component (a loop)
// are solved together, and equal answers are stored once.
//
// Cost: the nodes of a register are the blocks in which it is live, so the sum over all registers
// is the size of block-level liveness: O(instructions * live registers / block length), at most
// registers * blocks. An answer lists at most kMaxProducers writes, so a chain of a hundred
// thousand conditional writes stays linear too. Besides the result, only the nodes of one register
// are in memory at a time.
//
// The search passes a call of a local function in two ways: through the function's returns, without
// leaving it towards another caller; and, if some path through the function does not write the
// register, directly to the caller's code before the call. At a function's entry the search
// continues at every call of the function. A call to code outside the kernel is assumed to change
// no registers.
#pragma once

#include "read/program/kernel.h"

namespace burin::read {

// Fills `dependences` and `partial` of the kernel.
void find_dependences(Kernel& kernel);

}  // namespace burin::read
