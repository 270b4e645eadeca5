// What is predicted of a launch: its time, and which instruction each warp-cycle is spent at.
//
//   p.time_us, p.stalls[…], p.costs[i].stalls[…]
//
// Conservation: p.issued plus the sum of p.stalls is p.warp_cycles.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "launch/stall.h"
#include "machine/machine.h"
#include "machine/occupancy.h"

namespace burin::timing {

// What one instruction of the kernel costs, over the whole launch.
struct InstructionCost {
  double issued = 0;                                          // warp instructions
  std::array<launch::StallCycles, launch::kStalls> stalls{};  // warp-cycles before it
  double unknown = 0;       // warp-cycles that rest on Unknown values
  double sectors = 0;       // asked of L1
  double l1_hits = 0;       // of them
  double l2_hits = 0;       // of the rest
  double passes = 0;        // over the banks, of shared memory or L1
  double ideal_passes = 0;  // … without conflicts
};

// `waits` stood still because of `cause`: the instruction that set the scoreboard it waits for,
// took the unit it needs, or came last to the barrier.
struct Blame {
  std::uint32_t cause = 0;
  std::uint32_t waits = 0;
  launch::Stall stall = launch::Stall::kMisc;
  launch::StallCycles cycles;

  // The costliest first; those that cost the same in the order of the code.
  bool operator<(const Blame& other) const {
    if (cycles.sum() != other.cycles.sum()) return cycles.sum() > other.cycles.sum();
    return waits != other.waits ? waits < other.waits : cause < other.cause;
  }
};

struct Prediction {
  double time_us = 0;
  double cycles = 0;         // of it all
  double launch_cycles = 0;  // … of these, starting and ending the kernel
  double clock_mhz = 0;      // of the SMs, as this kernel lets them run
  machine::Occupancy occupancy;
  double waves = 0;         // blocks / blocks that the GPU holds
  double tail_share = 0;    // of the time, in which some SMs have run out of blocks
  double instructions = 0;  // warp instructions of the whole launch
  double ipc = 0;           // per SM, while it has work

  std::array<double, machine::kResources> busy{};  // share of the time, by Resource
  double l1_hit_rate = 0;  // of sectors of global and local loads and stores
  double l2_hit_rate = 0;
  double l2_bytes = 0;
  double dram_read_bytes = 0;
  double dram_write_bytes = 0;

  double warp_cycles = 0;  // issued + all stalls
  double issued = 0;
  std::array<launch::StallCycles, launch::kStalls> stalls{};
  std::vector<InstructionCost> costs;  // per instruction of the kernel
  std::vector<Blame> blames;           // largest first

  double unknown_share = 0;  // of warp-cycles
  double extrapolated_share =
      0;  // of the time that was not replayed but continued at a steady rate
  // The stretches of blocks that were replayed.
  struct Window {
    double share = 0;       // of the cycles without the launch's, that rest on it
    double smooth_end = 0;  // of its blocks, in cycles; see SmRun
  };
  std::vector<Window> windows;
  std::uint64_t executed = 0;      // warp instructions, for what they do
  std::uint64_t replayed = 0;      // … for when
  std::vector<std::string> notes;  // what the reader should know: a policy that was applied, …
};

}  // namespace burin::timing
