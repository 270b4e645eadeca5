// Detects blocks that are numbered along one axis but cover several: a program computes x / n and x
// % n of a block's index for the tiles of an image or the indices of a tensor, or so that blocks
// that run at the same time share the data they read.
//
//   find_rows(reference, seen, table);
//   table.numbers                     // the same blocks in the same order, in rows of n
//   table.of[i]                       // affine in the steps of table.numbers
#pragma once

#include <vector>

#include "timing/trace/observed_shifts.h"
#include "timing/trace/strides.h"
#include "timing/trace/trace.h"

namespace burin::timing {

// Fills `table` with strides along the axes of its grid, or along rows if rows explain more. `seen`
// has one entry per instruction.
void find_rows(const BlockTrace& reference, std::vector<Seen> seen, StrideTable& table);

// Returns blocks whose traces could reveal rows: those 1, 2, 4, … blocks away from `from` along the
// x and y axes, at most `most` blocks.
std::vector<std::uint64_t> blocks_in_rows(launch::Dims grid, launch::Dims from, std::size_t most);

}  // namespace burin::timing
