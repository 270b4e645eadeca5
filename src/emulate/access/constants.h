// Builds the constant banks of a launch: the driver's values before the parameters, the parameters,
// and the kernel's own constants.
#pragma once

#include <cstdint>
#include <span>

#include "emulate/state/lower.h"
#include "launch/launch.h"
#include "read/program/kernel.h"

namespace burin::emulate {

struct LaunchAddresses {
  std::span<const std::uint64_t> arguments;  // buffer addresses, as parameter_block takes them
  std::uint64_t grid_workspace = 0;          // address of the grid-wide barrier
  std::uint64_t parameters = 0;              // address of a copy of the parameters, for tensor maps
  std::uint32_t stack_top = 0;               // byte in local memory
};

ConstantMemory launch_constants(const read::Kernel& kernel, const launch::Launch& launch,
                                const launch::Dims& cluster, const LaunchAddresses& addresses);

}  // namespace burin::emulate
