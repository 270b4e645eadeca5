// Blocks whose threads exchange values step by step, with a barrier after each step. More blocks
// would have to synchronise with one another as often.
//
//   exchange_steps(c, false)     40: barriers that a block passes
#pragma once

#include "advise/case/case.h"

namespace burin::advise {

// Barriers that a block passes while its threads exchange values through shared memory, or in
// `sweeps` over global memory (sweeps.h), in most of the launch's time; 0: it does not, or there is
// no study. Threads that only combine their values at the end do not count.
double exchange_steps(const Case& c, bool sweeps);

}  // namespace burin::advise
