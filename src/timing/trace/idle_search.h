// Finds the active blocks of a grid in which many blocks exit at once.
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

// Whether the block had no effect: no writes to global memory and no waits for others.
bool is_idle(const BlockTrace& trace);

// Probes all blocks of the grid, or a sample of a very large grid. `idle`: the trace of an idle
// block.
ActiveBlocks find_active_blocks(TraceSource& source, std::uint64_t blocks, const BlockTrace& idle);

// Positions of active blocks that show how addresses depend on the index: the middle one first,
// then its neighbours, then two distant ones.
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
