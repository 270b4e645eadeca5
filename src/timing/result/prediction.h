// The predicted time of a launch, and the instruction at which each warp-cycle is spent.
//
//   p.time_us, p.stalls[…], p.costs[i].stalls[…]
//
// Invariant: p.issued plus the sum of p.stalls equals p.warp_cycles.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "emulate/values/fault.h"
#include "launch/stall.h"
#include "machine/machine.h"
#include "machine/occupancy.h"
#include "timing/result/timeline.h"

namespace burin::timing {

// The cost of one instruction of the kernel over the whole launch.
struct InstructionCost {
  double issued = 0;  // warp instructions issued
  // Warp-cycles stalled before the instruction issues.
  std::array<launch::StallCycles, launch::kStalls> stalls{};
  double unknown = 0;        // warp-cycles that depend on Unknown values
  double sectors = 0;        // sectors requested from L1
  double l1_hits = 0;        // sectors that hit in L1
  double l2_hits = 0;        // sectors that miss in L1 and hit in L2
  double passes = 0;         // passes over the banks of shared memory or L1
  double ideal_passes = 0;   // passes without bank conflicts
  double padded_passes = 0;  // passes if arrays left one element free after every 128 bytes
};

// Warp-cycles in which the instruction `waits` stalled because of the instruction `cause`: the one
// that set the scoreboard it waits for, occupied the unit it needs, or arrived last at the barrier.
struct Blame {
  std::uint32_t cause = 0;
  std::uint32_t waits = 0;
  launch::Stall stall = launch::Stall::kMisc;
  launch::StallCycles cycles;

  // Orders by cost, highest first; equal costs are in code order.
  bool operator<(const Blame& other) const {
    if (cycles.sum() != other.cycles.sum()) return cycles.sum() > other.cycles.sum();
    return waits != other.waits ? waits < other.waits : cause < other.cause;
  }
};

// How far a prediction can be relied on (certainty.h).
struct Certainty {
  double low_us = 0, high_us = 0;  // 80 % of launches of this kind lie between them
  std::string kind{};              // the kind of launch that the interval was calibrated for
  double approximated_share = 0;   // of the warp instructions: they depend on Unknown values
  bool defer = false;              // measure it instead
  std::string reason{};            // reason for `defer`; else empty
  std::string validation{};        // how the machine file was validated; empty for the h200
};

struct Prediction {
  double time_us = 0;
  double cycles = 0;         // total, including launch_cycles
  double launch_cycles = 0;  // cycles to start and end the kernel
  double clock_mhz = 0;      // SM clock while this kernel runs
  machine::Occupancy occupancy;
  double waves = 0;         // blocks in the grid / blocks resident on the whole GPU
  double tail_share = 0;    // share of the time in which some SMs have run out of blocks
  double instructions = 0;  // warp instructions of the whole launch
  double ipc = 0;           // warp instructions per cycle per SM, while the SM has work

  std::array<double, machine::kResources> busy{};  // busy share of the time, by Resource
  double l1_hit_rate = 0;  // over the sectors of global and local loads and stores
  double l2_hit_rate = 0;
  double l2_bytes = 0;
  double l2_atomic_cycles = 0;  // cycles for which the busiest L2 slices perform atomics
  double dram_read_bytes = 0;
  double dram_write_bytes = 0;
  double bulk_bytes = 0;  // copied by TMA from or to global memory

  // The largest of the lower bounds of the units that have a peak throughput; see unit_bounds.h.
  struct {
    std::string unit{};         // "tensor", "dram", "tma" …
    double time_us = 0;         // including launch_cycles
    double raised_from_us = 0;  // the time before it was raised to the bound; 0: it was not
  } bound;

  Certainty certainty;

  double warp_cycles = 0;  // issued + all stalls
  double issued = 0;
  std::array<launch::StallCycles, launch::kStalls> stalls{};
  std::vector<InstructionCost> costs;  // one per instruction of the kernel
  std::vector<Blame> blames;           // highest cost first

  double unknown_share = 0;  // share of warp-cycles that depend on Unknown values
  double extrapolated_share =
      0;  // share of the time that was not replayed but extrapolated at a steady rate
  // A window: a range of blocks that was replayed. The first ones are those of the trace. Where
  // blocks are unequal, others follow: the longest block alone, blocks that do nothing, and the
  // last block of the grid, for the part of the time that depends on each.
  struct Window {
    double share = 0;       // share of `cycles` without `launch_cycles` that depends on this window
    double smooth_end = 0;  // end of its blocks, in cycles; see ReplayedWindow::smooth_end
  };
  std::vector<Window> windows;
  Timeline timeline;           // of a part of the last window; empty unless the options ask for it
  std::uint64_t executed = 0;  // warp instructions executed functionally
  std::uint64_t replayed = 0;  // warp instructions replayed for timing
  std::vector<std::string> notes;      // notes for the reader, such as a policy that was applied
  std::vector<emulate::Fault> faults;  // errors of the kernel in the blocks that were executed
};

}  // namespace burin::timing
