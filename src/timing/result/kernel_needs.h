// Computes what one block of a launch occupies on an SM: threads, registers, shared memory and
// barriers.
#pragma once

#include "launch/launch.h"
#include "machine/occupancy.h"
#include "read/program/kernel.h"

namespace burin::timing {

machine::KernelNeeds needs_of(const read::Kernel& kernel, const launch::Launch& launch);

}  // namespace burin::timing
