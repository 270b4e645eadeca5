// The immediate dominators and post-dominators of a kernel's blocks.
#pragma once

#include "read/program/kernel.h"

namespace burin::read {

// Fills the immediate (post-)dominators of all blocks and the tree spans from the blocks' edges.
void find_dominators(Kernel& kernel);

}  // namespace burin::read
