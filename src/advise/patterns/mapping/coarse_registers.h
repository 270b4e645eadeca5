// The registers of a thread that does the work of several.
//
//   coarse_registers(c, differs, 4)     174: the kernel's 60, and 38 for each further result
#pragma once

#include "advise/case/case.h"

namespace burin::advise {

// Returns the registers per thread after coarsening: the kernel's, and for each further result
// those that differ between the threads (`differs`, of the instructions that compute them) and that
// a loop keeps from one iteration to the next. Registers used within an iteration serve one result
// after the other.
unsigned coarse_registers(const Case& c, const read::InstructionSet& differs, unsigned times);

}  // namespace burin::advise
