// Edits to the timing of an instruction, applied when a launch is replayed to find out what the
// instruction costs.
//
//   std::vector<OpEdit> edits(kernel.instructions.size());
//   edits[load].hidden = true;
//   replay(traced, machine, options, {.dependences = &kernel, .edits = &edits});
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "machine/timing_class.h"
#include "timing/code/machine_of.h"
#include "timing/code/timed_code.h"

namespace burin::timing {

struct OpEdit {
  bool hidden = false;     // its result is available as soon as it issues
  bool fetched = false;    // its code is always in the instruction cache
  bool unguarded = false;  // a barrier at which no warp waits
  bool l2_hit = false;     // its requests hit in the L2 cache
  double earlier = 0;      // cycles by which its result is available earlier
  double share = 1;        // share of its executions that are replayed
  std::optional<machine::TimingClass> timed_as{};
  double times = 1;  // number of instructions of the class `timed_as` that it counts as
};

// Applies the edits to `code`, which timed_code() made for `machines`. An instruction that ends a
// warp is never omitted.
void edit_code(std::span<const OpEdit> edits, const MachineOf& machines,
               std::vector<TimedOp>& code);

}  // namespace burin::timing
