// The stall counts of a kernel, had its arithmetic other latencies.
//
// Results that come after a fixed number of cycles have no scoreboard: ptxas writes a stall count
// that is long enough into the instruction before the first that needs them. So where a latency
// changes the stall counts must follow, as they would if the kernel were compiled again.
//
//   FFMA R0, …   stall 4        a latency of 6 in place of 4        stall 6
//   FFMA R1, R0                                →
//
//   FFMA R0, …   stall 1                                            stall 1
//   IADD3 R9, …  stall 3                                            stall 5
//   FFMA R1, R0
#pragma once

#include <vector>

#include "machine/machine.h"
#include "read/program/kernel.h"
#include "timing/code/timed_code.h"

namespace burin::timing {

// `code` has the latencies that are to be followed, and may have been edited (op_edit.h);
// `compiled_for` has those that the stall counts were written for, and `dependences` is the kernel
// built with them. Dependences within a basic block count: between blocks stands the time of a
// branch.
void follow_latencies(const read::Kernel& dependences, const machine::Machine& compiled_for,
                      std::vector<TimedOp>& code);

}  // namespace burin::timing
