// Computes the timing of a traced launch: its windows are replayed on one SM of a machine, and the
// rest of the grid is extrapolated from them.
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

// replay() predicts the timing of a traced launch. The machine must have the same number of SMs and
// hold as many blocks as the machine of the trace. May be called for one trace from several threads
// at once. Of the options, only those for caches apply.
//
// A ReplayChange applies to one replay only.
struct ReplayChange {
  const machine::Machine* machine = nullptr;  // used in place of the argument `machine`
  // The instructions that the changed machine applies to. Null: it applies to all instructions, and
  // to everything that belongs to no instruction.
  const read::InstructionSet* region = nullptr;
  double issue_slots = 1;  // multiplies the issue slots that each instruction of the region takes
  // The kernel built with dependences; if given, stall counts follow the changed latencies.
  const read::Kernel* dependences = nullptr;
  const std::vector<OpEdit>* edits = nullptr;  // one per instruction
  std::uint64_t resident = 0;                  // resident blocks per SM; 0: as traced
  PathSteps* path = nullptr;                   // receives the steps of the last window
  // No stalls are recorded, and fewer draws are made for unequal blocks: faster, and comparable
  // with other such replays.
  bool time_only = false;
  // Sets only `windows` and `launch_cycles` of Prediction: faster if blocks are unequal.
  bool windows_only = false;
  // Additionally skips the first of two windows, whose end is then 0. `found` must be set.
  bool without_first = false;
  // L2 lookups, one log per window: written to `record`, or taken from `found`, which must come
  // from a replay of the same trace with the same number of resident blocks.
  std::vector<L2LookupLog>* record = nullptr;
  const std::vector<L2LookupLog>* found = nullptr;
};
Prediction replay(const TracedLaunch& traced, const machine::Machine& machine,
                  const PredictOptions& options, const ReplayChange& change = {});

// Computes only when blocks end: ReplayedWindow::smooth_end for each window's `jobs`, or 0 for a
// window without jobs, and the end of the longest block alone if blocks are unequal, as in
// Prediction::windows. ReplayChange::found must be set.
struct WindowEnds {
  double launch_cycles = 0;
  std::vector<double> ends{};
};
WindowEnds replay_ends(const TracedLaunch& traced, const machine::Machine& machine,
                       const PredictOptions& options, const ReplayChange& change,
                       std::span<const std::vector<BlockJob>> jobs);

}  // namespace burin::timing
