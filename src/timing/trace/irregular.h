// Characterises addresses that do not follow from the block's index, using the traces of a few
// blocks: whether each block has a range of its own, in block order (rows of unequal length) or in
// any order (chunks of many tensors), and which lines all blocks use (the upper part of a tree, a
// small table).
//
//   settle_irregular(grid, traces, table.of);
//   table.of[i].kind                // kDrifting if each block has its own range, else kIrregular
//   table.of[i].common              // kIrregular: the lines that most of the blocks used
#pragma once

#include <span>
#include <vector>

#include "launch/launch.h"
#include "timing/trace/strides.h"
#include "timing/trace/trace.h"

namespace burin::timing {

// `of` has one entry per instruction of the kernel; the irregular ones must already have their
// extents. The traces are of different blocks of one launch.
void settle_irregular(launch::Dims grid, std::span<const BlockTrace* const> traces,
                      std::vector<Strides>& of);

}  // namespace burin::timing
