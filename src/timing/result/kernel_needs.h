// What one block of a launch occupies on an SM: threads, registers, shared memory, barriers.
#pragma once

#include "launch/launch.h"
#include "machine/occupancy.h"
#include "read/program/kernel.h"

namespace burin {

KernelNeeds needs_of(const Kernel& kernel, const Launch& launch);

}  // namespace burin
