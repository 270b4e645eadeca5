// The basic blocks that a branch on an Unknown condition does not enter (unknown.h), because
// kernels rarely do: those that can only end in a trap or a failed assertion, and the slow paths
// that the compiler adds to divisions and roots, for numbers that are not normal.
#pragma once

#include <vector>

#include "read/program/kernel.h"

namespace burin::emulate {

// One entry per basic block. True if every path from its start executes BPT.TRAP or calls
// __assertfail, which does not return, or if the block calls one of the compiler's own functions.
std::vector<bool> unlikely_blocks(const read::Kernel& kernel);

}  // namespace burin::emulate
