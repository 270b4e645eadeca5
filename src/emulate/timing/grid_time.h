// From the SM that was replayed to the grid, where blocks do unequal work.
//
//   GridTime grid = grid_time(traced, windows, machine, pace);
//   sm_cycles = grid.cycles; …
//
// All blocks are dealt out to the SMs by what a sample of them does (makespan.h), and so are those
// that were replayed: what these took against what was reckoned for them holds for the grid too.
#pragma once

#include <vector>

#include "emulate/timing/replayed_window.h"
#include "emulate/timing/traced_launch.h"

namespace burin {

BlockWork work_of(const BlockTrace& trace);

struct GridTime {
  double cycles = 0;      // from the first block's begin to the last one's end
  double work = 1;        // what its average block does, as a multiple of the replayed ones
  double tail_share = 0;  // of the time, in which some SMs have no block left
};

// A block that has the SM to itself goes `pace` cycles from one step of its longest warp to the
// next.
GridTime grid_time(const TracedLaunch& traced, const std::vector<ReplayedWindow>& windows,
                   const Machine& machine, double pace);

}  // namespace burin
