// The cost of a change that keeps more values in registers.
//
//   if (spills(c)) …                     // no register is free
//   match.added_us += more_registers_us(c, 24);
#pragma once

#include "advise/case/case.h"

namespace burin::advise {

// Whether the code spills registers to local memory.
bool spills(const Case& c);

// The additional time of the launch, in µs, with `more` registers per thread, if fewer blocks are
// resident then. Half of the loss of the unchanged code, since code with more values in flight
// needs fewer warps. 0 if the same number of blocks fits. Needs a study.
double more_registers_us(const Case& c, unsigned more);

}  // namespace burin::advise
