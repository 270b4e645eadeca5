// Blocks that are numbered along one axis but go over several: a program takes x / n and x % n of
// a block's index, for the tiles of an image, the indices of a tensor, or so that blocks which run
// together share what they read.
//
//   find_rows(reference, seen, table);
//   table.numbers                     // the same blocks in the same order, in rows of n
//   table.of[i]                       // affine in their steps
#pragma once

#include <vector>

#include "timing/trace/observed_shifts.h"
#include "timing/trace/strides.h"
#include "timing/trace/trace.h"

namespace burin::timing {

// `seen`: per instruction. Fills the table: with strides along the axes of its grid, or along rows,
// where these explain more.
void find_rows(const BlockTrace& reference, std::vector<Seen> seen, StrideTable& table);

// Blocks from which a second look could tell: at one, two, four … blocks' distance along each axis,
// at most `most` of them.
std::vector<std::uint64_t> blocks_in_rows(launch::Dims grid, launch::Dims from, std::size_t most);

}  // namespace burin::timing
