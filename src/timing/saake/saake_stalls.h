// Every cycle of every warp of an abstract emulation: issued, or stalled with a reason and a cause.
// Of predict_saake alone.
#pragma once

#include "timing/result/prediction.h"
#include "timing/saake/abstract_emulation.h"
#include "timing/saake/saake_program.h"

namespace burin::timing {

// Adds to `prediction` its warp_cycles, issued, stalls, blames and, to the costs that it holds
// already, their stalls and what rests on Unknown; all as emulated, for the caller to scale.
//
// A warp waits from its last issue to the moment its operands are there or its barrier opens, for
// the instruction that came last; then until it issues it was not selected. Queues have no end, so
// no unit is ever in the way of an issue. When all is issued, it drains.
void account_saake(const SaakeProgram& program, const AbstractTimes& times, Prediction& prediction);

}  // namespace burin::timing
