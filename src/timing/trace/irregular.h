// Addresses that do not follow from the block's index. What can still be said of them, from the
// traces of a few blocks: whether each block has a range of its own, in the order of the blocks
// (rows of unequal length), and which lines all blocks use (the upper part of a tree, a small
// table).
//
//   settle_irregular(grid, traces, table.of);
//   table.of[i].kind                // kDrifting in place of kIrregular, where it is so
//   table.of[i].common              // else the lines that most of the blocks used
#pragma once

#include <span>
#include <vector>

#include "launch/launch.h"
#include "timing/trace/strides.h"
#include "timing/trace/trace.h"

namespace burin::timing {

// `of`: per instruction of the kernel; those that are irregular get their extents before. The
// traces are of different blocks of one launch.
void settle_irregular(launch::Dims grid, std::span<const BlockTrace* const> traces,
                      std::vector<Strides>& of);

}  // namespace burin::timing
