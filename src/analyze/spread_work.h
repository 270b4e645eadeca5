// The trace of a block in which work that only some warps do is done by all of them.
//
//   warp 0   A A A A A A A A  BAR          warp 0   A A  BAR
//   warp 1   BAR                    →      warp 1   A A  BAR
//   …                                      …
//
// What is executed between two barriers stays between them, and keeps its order. Where an
// instruction has few of a warp's lanes at work, all lanes share it too, and it is executed so much
// less. Iterations of a loop stay whole as long as there is one for each warp.
#pragma once

#include <cstdint>
#include <vector>

#include "read/program/instruction_set.h"
#include "timing/trace/trace.h"

namespace burin::analyze {

struct Spread {
  read::InstructionSet set{};          // a flag for each instruction of the kernel
  std::vector<std::uint32_t> kinds{};  // of each a number, the same for copies
  // Loops that are shared out stay unrolled: their stride, the number of threads, is known to the
  // compiler. Else a value is loaded, waited for and used before the next is asked for, save where
  // all warps went round the loop before: then only who takes which of its rounds is another.
  bool unrolled = true;
};
void spread_work(timing::BlockTrace& trace, const Spread& how);

}  // namespace burin::analyze
