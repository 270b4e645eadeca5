// Attributes every cycle of every warp of an abstract emulation: as an issue, or as a stall with a
// reason and a cause. Used only by predict_saake.
#pragma once

#include "timing/result/prediction.h"
#include "timing/saake/abstract_emulation.h"
#include "timing/saake/saake_program.h"

namespace burin::timing {

// Adds warp_cycles, issued, stalls and blames to `prediction`, and stalls and Unknown-dependent
// cycles to the costs it already holds. All values are as emulated; the caller scales them.
//
// From its last issue until its operands are available or its barrier opens, a warp waits for the
// instruction that finished or arrived last. From then until it issues, it is not selected. Queues
// are unbounded, so a busy unit never blocks an issue. After its last issue, a warp drains.
void account_saake(const SaakeProgram& program, const AbstractTimes& times, Prediction& prediction);

}  // namespace burin::timing
