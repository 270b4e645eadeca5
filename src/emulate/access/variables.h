// The module's variables (`__device__ int counter;`): places them in global memory and writes their
// addresses where the loader would.
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
  std::uint64_t initial = 0;  // address of initialised variables; 0: none
  std::uint64_t zero = 0;     // address of zero-initialised variables; 0: none
  std::span<const launch::PlacedVariable> placed{};  // variables that the launch places itself
};

// Places the module's variables in memory. `placed` must outlive the returned value.
Variables place_variables(const read::Image& image, std::span<const launch::PlacedVariable> placed,
                          GlobalMemory& memory);

// Writes the variables' addresses into the constant banks. The address of a variable that the
// module does not contain is Unknown.
void write_addresses(const read::Image& image, const Variables& variables,
                     ConstantMemory& constants);

// Writes the values that the launch gives to variables.
void apply_settings(std::span<const launch::Setting> settings, const Variables& variables,
                    GlobalMemory& memory, ConstantMemory& constants);

// Makes the contents of these variables Unknown.
void forget_variables(std::span<const read::VariablePlace> places, const Variables& variables,
                      GlobalMemory& memory, ConstantMemory& constants);

}  // namespace burin::emulate
