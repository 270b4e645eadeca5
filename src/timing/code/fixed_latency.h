// Adjusts a kernel's stall counts to changed arithmetic latencies.
//
// Results with a fixed latency have no scoreboard: ptxas writes a long enough stall count into the
// instruction before the first one that needs the result. When a latency changes, the stall counts
// must change as they would if the kernel were recompiled.
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

// `code` has the latencies to adjust to, and may have been edited (op_edit.h). `compiled_for` has
// the latencies that the stall counts were written for, and `dependences` is the kernel built with
// dependences. Only dependences within a basic block count: between basic blocks, the time of a
// branch covers the latency.
void follow_latencies(const read::Kernel& dependences, const machine::Machine& compiled_for,
                      std::vector<TimedOp>& code);

}  // namespace burin::timing
