// Finds the blocks that leave a kernel at once, in a grid where many do.
//
//   if (is_idle(trace)) {
//     ActiveBlocks active = find_active_blocks(source, blocks, trace);
//     for (std::uint64_t position : reference_positions(active, grid)) … // trace it
#pragma once

#include <cstdint>
#include <vector>

#include "launch/launch.h"
#include "timing/trace/active_blocks.h"
#include "timing/trace/strides.h"
#include "timing/trace/trace.h"
#include "timing/trace/trace_source.h"

namespace burin::timing {

// Whether the block wrote nothing to global memory and waited for nobody: it had no effect.
bool is_idle(const BlockTrace& trace);

// Looks at all blocks of the grid, or at some from all over a very large one. `idle`: one of those
// that do nothing.
ActiveBlocks find_active_blocks(TraceSource& source, std::uint64_t blocks, const BlockTrace& idle);

// Positions of active blocks that tell how addresses go with the index: the middle one first, then
// its neighbours, then two from elsewhere.
std::vector<std::uint64_t> reference_positions(const ActiveBlocks& active, launch::Dims grid);

// The strides between these active blocks, of which the first is the reference. Addresses may
// follow from the blocks' numbers or, where the program has packed its data, from their positions:
// `by_position` then, and the traces are numbered so.
struct ActiveStrides {
  StrideTable table;
  bool by_position = false;
};
ActiveStrides find_active_strides(std::size_t instructions, launch::Dims grid,
                                  const ActiveBlocks& active, std::vector<BlockTrace>& traces);

}  // namespace burin::timing
