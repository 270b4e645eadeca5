// Which results of an instruction are ever read.
//
//   LDS.128 R4, [R2] ; FADD R0, R4, R5 ; FADD R0, R0, R6 ; EXIT
//   unread_results(kernel, 0)      // 0b1000: nobody reads R7
#pragma once

#include <cstdint>

#include "read/program/kernel.h"

namespace burin::read {

// Returns a bit mask over the registers of the instruction's first general-register result: bit k
// is set if no path reads register k of it before writing it again. Where a path cannot be followed
// (calls, returns, indirect branches), the register counts as read.
std::uint32_t unread_results(const Kernel& kernel, std::uint32_t instruction);

}  // namespace burin::read
