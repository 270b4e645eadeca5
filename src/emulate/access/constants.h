// The constant banks of a launch: what the driver puts in front of the parameters, the parameters,
// and the kernel's own constants.
#pragma once

#include <cstdint>
#include <span>

#include "emulate/state/lower.h"
#include "launch/launch.h"
#include "read/program/kernel.h"

namespace burin::emulate {

struct LaunchAddresses {
  std::span<const std::uint64_t> arguments;  // of the buffers, as parameter_block takes them
  std::uint64_t grid_workspace = 0;          // of the barrier over a whole grid
  std::uint64_t parameters = 0;              // of a copy of them, which tensor maps are read from
  std::uint32_t stack_top = 0;               // in local memory
};

ConstantMemory launch_constants(const read::Kernel& kernel, const launch::Launch& launch,
                                const launch::Dims& cluster, const LaunchAddresses& addresses);

}  // namespace burin::emulate
