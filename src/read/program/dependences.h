// Def-use chains through registers and scoreboards; what counts as one is said at Dependence.
//
// For each register a search goes backward from every use. Inside a block it looks at the
// register's own writes only. Where it leaves the block at the top, the question "which writes
// reach this block's start" is a node: (block, what the search still looks for). Nodes are shared
// by all uses of the register and answered once, strongly connected sets of them (loops) together,
// and answers that are equal are stored once.
//
// Cost: the nodes are the blocks through which each register is live, so the sum over registers is
// the size of block-level liveness: O(instructions * live registers / block length), at most
// registers * blocks. An answer lists at most kMaxProducers writes, so a chain of a hundred
// thousand conditional writes stays linear too. Memory beside the result is one register's nodes.
//
// A call of a local function is passed in two ways: through its returns, without ever leaving it
// for another caller, and, where some path through it leaves the register alone, to the caller's
// code before the call. From a function's entry the search goes on at every call of it. A call that
// leaves the code is taken to leave all registers alone.
#pragma once

#include "read/program/kernel.h"

namespace burin::read {

// Fills dependences and partial.
void find_dependences(Kernel& kernel);

}  // namespace burin::read
