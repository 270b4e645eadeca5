// How long a launch takes on a GPU, and where its cycles go.
//
//   Result<Prediction> p = predict(kernel, launch, machine, {});
//   p->time_us, p->stalls[…], p->instructions[i].stalls[…]
//
// Blocks are executed (emulate/) for what they do, and replayed on one SM of the machine for when
// they do it. docs/predict.md tells how the rest of the grid is accounted for.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "launch/launch.h"
#include "launch/options.h"
#include "launch/stall.h"
#include "machine/machine.h"
#include "machine/occupancy.h"
#include "read/program/kernel.h"

namespace burin {

// FILE:LINE=RATE or LINE=RATE, of --l2-hit: a measured hit rate for one line's accesses.
struct LineRate {
  std::string file;  // the end of its path; empty: any
  std::uint32_t line = 0;
  double rate = 0;
};

struct PredictOptions {
  enum class Model : std::uint8_t { kBurin, kSaake };
  Model model = Model::kBurin;
  bool warm = false;               // caches hold the buffers when the kernel begins
  std::optional<double> l2_hit{};  // 0 … 1, in place of the L2 that is emulated
  std::vector<LineRate> line_l2_hit{};
  std::vector<TripCount> trips{};
  UnknownAccess unknown{};
  unsigned threads = 0;                 // for executing blocks; 0: one per core
  std::uint64_t most_instructions = 0;  // executed warp instructions; 0: a limit that takes seconds
  std::function<void(double share)> progress{};
};

// What one instruction of the kernel costs, over the whole launch.
struct InstructionCost {
  double issued = 0;                          // warp instructions
  std::array<StallCycles, kStalls> stalls{};  // warp-cycles before it
  double unknown = 0;                         // warp-cycles that rest on Unknown values
  double sectors = 0;                         // asked of L1
  double l1_hits = 0;                         // of them
  double l2_hits = 0;                         // of the rest
  double passes = 0;                          // over the banks, of shared memory or L1
  double ideal_passes = 0;                    // … without conflicts
};

// `waits` stood still because of `cause`: the instruction that set the scoreboard it waits for,
// took the unit it needs, or came last to the barrier.
struct Blame {
  std::uint32_t cause = 0;
  std::uint32_t waits = 0;
  Stall stall = Stall::kMisc;
  StallCycles cycles;

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
  Occupancy occupancy;
  double waves = 0;         // blocks / blocks that the GPU holds
  double tail_share = 0;    // of the time, in which some SMs have run out of blocks
  double instructions = 0;  // warp instructions of the whole launch
  double ipc = 0;           // per SM, while it has work

  std::array<double, kResources> busy{};  // share of the time, by Resource
  double l1_hit_rate = 0;                 // of sectors of global and local loads and stores
  double l2_hit_rate = 0;
  double l2_bytes = 0;
  double dram_read_bytes = 0;
  double dram_write_bytes = 0;

  double warp_cycles = 0;  // issued + all stalls
  double issued = 0;
  std::array<StallCycles, kStalls> stalls{};
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

// What one of the launch's blocks asks of an SM.
KernelNeeds needs_of(const Kernel& kernel, const Launch& launch);

Result<Prediction> predict(const Kernel& kernel, const Launch& launch, const Machine& machine,
                           const PredictOptions& options);

}  // namespace burin
