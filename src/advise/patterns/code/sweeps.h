// Loops in which a block goes over arrays in global memory again and again, with a barrier after
// each sweep: threads read what others stored in the sweep before. Blocks that shared a sweep would
// have to wait for each other after each one.
//
//   share_of_sweeps(c)     0.9: of the launch's warp time, in such loops
#pragma once

#include "advise/case/case.h"

namespace burin::advise {

// Loads and stores count where they may meet: through one pointer, or through an unknown one. Not
// counted: loads of what the same thread stores, and loops with fences, which may order more than
// the block.
double share_of_sweeps(const Case& c);

}  // namespace burin::advise
