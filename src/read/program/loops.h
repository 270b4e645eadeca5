// Loop nests.
#pragma once

#include "read/program/kernel.h"

namespace burin::read {

// Fills loops, and each block's innermost loop, from the blocks' edges. A loop is a strongly
// connected set of blocks; without its header it falls apart into the loops inside. Each level
// costs its own edges, so the whole is O(edges * depth), and depth ends at kDeepestLoop.
void find_loops(Kernel& kernel);

}  // namespace burin::read
