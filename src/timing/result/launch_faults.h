// Why a launch fails on a machine, whatever its kernel does: its buffers do not fit in memory.
#pragma once

#include <string>
#include <vector>

#include "launch/launch.h"
#include "machine/machine.h"

namespace burin::timing {

// A sentence each:
//   the buffers take 200 GiB, and h200 has 141 GiB of memory: on the GPU they cannot be allocated
std::vector<std::string> launch_faults(const launch::Launch& launch,
                                       const machine::Machine& machine);

}  // namespace burin::timing
