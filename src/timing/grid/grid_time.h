// Extrapolates from the replayed SM to the whole grid when blocks do unequal work.
//
//   GridTime grid = grid_time(traced, windows, machine, pace, block_gap);
//   sm_cycles = grid.cycles; …
//
// All blocks of the grid are distributed over the SMs according to the work of a sample of blocks
// (makespan.h). The replayed blocks are distributed in the same way: their end times give the
// throughput of an SM, and the ratio of their replayed time to their estimated time is applied to
// the grid.
#pragma once

#include <cstdint>
#include <vector>

#include "timing/grid/makespan.h"
#include "timing/grid/replayed_window.h"
#include "timing/trace/traced_launch.h"

namespace burin::timing {

BlockWork work_of(const BlockTrace& trace);

struct GridTime {
  double cycles = 0;      // cycles from the start of the first block to the end of the last
  double work = 1;        // work of the grid's average block, as a multiple of the replayed blocks'
                          // average
  double tail_share = 0;  // share of the time in which some SMs have no blocks left
  double idle_cycles = 0;  // cycles by which idle blocks delay the others
};

struct GridTimeOptions {
  double idle_block = 0;  // cycles of an idle block
  // The assignment of blocks to SMs is random. The result is the mean of up to 4 draws that
  // together deal out at most this number of warps.
  std::uint64_t drawn_warps = 100'000;
  // Maximum number of warps dealt out in one draw; beyond it, a part of the warps represents all.
  std::uint64_t dealt_warps = 100'000;
};

// `sm` gives the resident blocks per SM, and the pace and start time of blocks that have an SM to
// themselves. The GPU registers block completions `block_gap` cycles apart. `cycles` and `work` are
// of the active blocks.
GridTime grid_time(const TracedLaunch& traced, const std::vector<ReplayedWindow>& windows,
                   const machine::Machine& machine, SmPace sm, double block_gap,
                   const GridTimeOptions& options = {});

}  // namespace burin::timing
