// From the SM that was replayed to the grid, where blocks do unequal work.
//
//   GridTime grid = grid_time(traced, windows, machine, pace, block_gap);
//   sm_cycles = grid.cycles; …
//
// All blocks are dealt out to the SMs by what a sample of them does (makespan.h), and so are those
// that were replayed: from when these ended it is known what an SM can do, and what they took
// against what is reckoned for them holds for the grid too.
#pragma once

#include <vector>

#include "timing/grid/makespan.h"
#include "timing/grid/replayed_window.h"
#include "timing/trace/traced_launch.h"

namespace burin::timing {

BlockWork work_of(const BlockTrace& trace);

struct GridTime {
  double cycles = 0;      // from the first block's begin to the last one's end
  double work = 1;        // what its average block does, as a multiple of the replayed ones
  double tail_share = 0;  // of the time, in which some SMs have no block left
};

// Of the SM, how many blocks are on it and the pace and the start of those that have it to
// themselves. The GPU takes note of a block's end `block_gap` cycles after another's.
GridTime grid_time(const TracedLaunch& traced, const std::vector<ReplayedWindow>& windows,
                   const machine::Machine& machine, SmPace sm, double block_gap);

}  // namespace burin::timing
