// What a change costs that keeps more values in registers.
//
//   if (spills(c)) …                     // there is no room at all
//   match.added_us += more_registers_us(c, 24);
#pragma once

#include "advise/case/case.h"

namespace burin::advise {

// Whether the code keeps values in local memory because it has no register for them.
bool spills(const Case& c);

// How much longer the launch takes, in µs, with so many more registers per thread: fewer blocks are
// resident then. Half of what the same code would lose, since code with more values in flight needs
// fewer warps. 0 if as many blocks fit. Needs a study.
double more_registers_us(const Case& c, unsigned more);

}  // namespace burin::advise
