// The trace of a block in which work that only some warps do is done by all of them.
//
//   warp 0   A A A A A A A A  BAR          warp 0   A A  BAR
//   warp 1   BAR                    →      warp 1   A A  BAR
//   …                                      …
//
// What is executed between two barriers stays between them, and keeps its order. Where an
// instruction has few of a warp's lanes at work, all lanes share it too, and it is executed so much
// less.
#pragma once

#include "emulate/timing/machine_of.h"
#include "emulate/timing/trace.h"

namespace burin {

// `set` has a flag for each instruction of the kernel.
void spread_work(BlockTrace& trace, const InstructionSet& set);

}  // namespace burin
