// When a traced launch does what it does: its windows are replayed on one SM of a machine, and the
// rest of the grid is continued from them.
//
//   Prediction p = replay(**traced, machine, options);
//   Prediction faster = replay(**traced, machine, options, {.machine = &other, .region = &loop});
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "timing/code/machine_of.h"
#include "timing/code/op_edit.h"
#include "timing/memory/l2_lookup_log.h"
#include "timing/result/predict_options.h"
#include "timing/result/prediction.h"
#include "timing/sm/path_step.h"
#include "timing/trace/traced_launch.h"

namespace burin::timing {

// The machine must have the number of SMs, and hold as many blocks, as that of the trace. May be
// called from several threads at once for one trace. Of the options those for caches count.
//
// With a change, what is said below goes for this one replay.
struct ReplayChange {
  const machine::Machine* machine = nullptr;  // other numbers, in place of the machine's
  // … for these instructions; null: for all, and for what belongs to none.
  const read::InstructionSet* region = nullptr;
  double issue_slots = 1;  // of a scheduler, that each instruction of the region takes
  // The kernel built with dependences; stall counts then follow the changed latencies.
  const read::Kernel* dependences = nullptr;
  const std::vector<OpEdit>* edits = nullptr;  // of each instruction
  std::uint64_t resident = 0;                  // blocks of the SM at a time; 0: as traced
  PathSteps* path = nullptr;                   // gets the steps of the last window
  // What requests found in the L2 cache: written down, or given by a replay of the same trace with
  // as many blocks at a time.
  std::vector<L2LookupLog>* record = nullptr;
  const std::vector<L2LookupLog>* found = nullptr;
};
Prediction replay(const TracedLaunch& traced, const machine::Machine& machine,
                  const PredictOptions& options, const ReplayChange& change = {});

// No more than when blocks end: SmRun::smooth_end of each window's `jobs`, 0 where it has none.
// What was found in the L2 cache must be given.
struct WindowEnds {
  double launch_cycles = 0;
  std::vector<double> ends{};
};
WindowEnds replay_ends(const TracedLaunch& traced, const machine::Machine& machine,
                       const PredictOptions& options, const ReplayChange& change,
                       std::span<const std::vector<BlockJob>> jobs);

}  // namespace burin::timing
