// Some of a kernel's instructions.
#pragma once

#include <cstdint>
#include <vector>

namespace burin::read {

// A flag for each instruction of a kernel; set[i] != 0: instruction i is in the set.
using InstructionSet = std::vector<std::uint8_t>;

}  // namespace burin::read
