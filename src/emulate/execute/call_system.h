// Executes a call of a function that the driver provides (system_calls.h). Arguments are in R4 and
// after, the result in R4, as the CUDA ABI has them.
#pragma once

#include "emulate/state/system_calls.h"
#include "emulate/state/warp.h"

namespace burin::emulate {

// Calls the function once for each of the lanes, which are at the call instruction.
void call_system(Warp& warp, SystemCall call, Mask lanes);

}  // namespace burin::emulate
