// How many general registers hold a value that is still needed, instruction by instruction: what
// ptxas had to keep in registers, and where the pressure is highest.
//
//   0x00  S2R R0, SR_TID.X         1
//   0x10  LDG R2, [R4]             4   R0, R2, R4 and R5
//   0x20  FADD R2, R2, R0          2
//
// A guarded write does not end a value's life. A call keeps alive what the called function reads,
// and a return what any of its callers reads afterwards.
#pragma once

#include <cstdint>
#include <vector>

#include "read/program/kernel.h"

namespace burin::read {

// Returns, for each instruction, the larger of two numbers: registers live before it, and registers
// live or written after it. 0 for unreachable code.
std::vector<std::uint16_t> live_registers(const Kernel& kernel);

}  // namespace burin::read
