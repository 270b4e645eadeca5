// The module's own variables (`__device__ int counter;`): placed in global memory, and their
// addresses written where the loader would write them.
#pragma once

#include <cstdint>
#include <span>

#include "emulate/memory/memory.h"
#include "emulate/state/lower.h"
#include "launch/launch.h"
#include "launch/setting.h"
#include "read/binary/image.h"

namespace burin::emulate {

struct Variables {
  std::uint64_t initial = 0;  // address of those with contents, 0 where there are none
  std::uint64_t zero = 0;     // … of those that start as zeros
  std::span<const launch::PlacedVariable> placed{};  // those that the launch has put elsewhere
};

// `placed` must outlive what is returned.
Variables place_variables(const read::Image& image, std::span<const launch::PlacedVariable> placed,
                          GlobalMemory& memory);

// Into the constant banks; the address of what the module does not hold is Unknown.
void write_addresses(const read::Image& image, const Variables& variables,
                     ConstantMemory& constants);

// What the launch sets them to.
void apply_settings(std::span<const launch::Setting> settings, const Variables& variables,
                    GlobalMemory& memory, ConstantMemory& constants);

}  // namespace burin::emulate
