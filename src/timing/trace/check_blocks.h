// Executes a few blocks of a launch with all checks, to find the kernel's errors.
//
// Tracing for a prediction skips values that do not affect timing, and with them most checks. It
// also executes blocks more than once, so that counters in memory exceed their limits. Errors of
// the launch (a buffer that is too small, missing shared memory) show in the first, the middle or
// the last block.
#pragma once

#include <vector>

#include "emulate/values/fault.h"
#include "launch/launch.h"
#include "launch/options.h"
#include "read/program/kernel.h"

namespace burin::timing {

// Returns the faults of the first, the middle and the last block or cluster, as far as they come
// within the time of a small prediction. Reads of uninitialised global memory are left out: blocks
// that are not executed may write it.
std::vector<emulate::Fault> check_blocks(const read::Kernel& kernel, const launch::Launch& launch,
                                         const std::vector<launch::TripCount>& trips);

}  // namespace burin::timing
