// A set of instructions of a kernel.
#pragma once

#include <cstdint>
#include <vector>

namespace burin::read {

// One flag per instruction of a kernel: instruction i is in the set if set[i] != 0.
using InstructionSet = std::vector<std::uint8_t>;

}  // namespace burin::read
