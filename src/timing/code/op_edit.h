// What is taken away from an instruction when a launch is replayed, to see what it costs.
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
  bool hidden = false;     // its result is there when it issues
  bool fetched = false;    // its code is at hand
  bool unguarded = false;  // a barrier that nobody waits at
  bool l2_hit = false;     // its requests are found in the L2 cache
  double earlier = 0;      // its result is there so many cycles sooner
  double share = 1;        // of its executions that are done
  std::optional<machine::TimingClass> timed_as{};
  double times = 1;  // so many instructions of that class
};

// `code` as timed_code made it for `machines`. What ends a warp is never left out.
void edit_code(std::span<const OpEdit> edits, const MachineOf& machines,
               std::vector<TimedOp>& code);

}  // namespace burin::timing
