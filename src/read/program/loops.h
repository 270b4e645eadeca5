// Finds the loop nests of a kernel.
#pragma once

#include "read/program/kernel.h"

namespace burin::read {

// Fills `loops`, and the innermost loop of each block, from the blocks' edges. A loop is a strongly
// connected component of blocks; removing its header leaves the loops nested inside it. Each
// nesting level costs its own edges, so the total is O(edges * depth), with depth limited by
// kDeepestLoop.
void find_loops(Kernel& kernel);

}  // namespace burin::read
