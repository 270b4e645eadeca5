// Rewrites the trace of a block so that work done by only some warps is shared by all warps.
//
//   warp 0   A A A A A A A A  BAR          warp 0   A A  BAR
//   warp 1   BAR                    →      warp 1   A A  BAR
//   …                                      …
//
// Work between two barriers stays between them and keeps its order. An instruction with few active
// lanes is also spread over all lanes of a warp, so it is executed fewer times. Loop iterations
// stay whole as long as there is at least one iteration for each warp.
#pragma once

#include <cstdint>
#include <vector>

#include "read/program/instruction_set.h"
#include "timing/trace/trace.h"

namespace burin::analyze {

struct Spread {
  read::InstructionSet set{};          // one flag for each instruction of the kernel
  std::vector<std::uint32_t> kinds{};  // one number for each instruction, equal for copies
  // Shared loops stay unrolled: the compiler knows their stride, the number of threads. If false,
  // each value is loaded, waited for and used before the next load is issued, except in loops that
  // all warps already executed: there only the assignment of iterations to warps changes.
  bool unrolled = true;
};
void spread_work(timing::BlockTrace& trace, const Spread& how);

}  // namespace burin::analyze
