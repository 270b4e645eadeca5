// The stalls of a launch by source line and by loop, each with the line that causes them.
//
//   const StallCauses causes = causes_of(kernel, blamed);
//   for (const StallCause& row : causes.lines)              // largest first
//     row.share, name(row.stall), name(row.dependency), row.waits, row.cause …
//
//   38.1 %  long_scoreboard  global_memory  a.cu:43 FADD at 0x0190  ←  a.cu:42 LDG at 0x0130
//
// Nothing is lost: Σ lines = Σ loops = the stalls, and with `issued` and `unattributed` they are
// all of the warp time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "advise/blame/blame.h"

namespace burin::advise {

// Stalls of one reason and one dependency: of one source line on another, or in one loop.
struct StallCause {
  std::uint32_t waits = 0, cause = 0;  // the pair of instructions with the largest part of it
  std::uint32_t distance = 0;          // instructions from cause to waits
  launch::Stall stall = launch::Stall::kMisc;
  Dependency dependency = Dependency::kUnknown;
  std::uint32_t loop = read::kNoIndex;     // innermost loop around waits; kNoIndex: none
  std::size_t pairs = 0;                   // pairs of instructions; 0: all were pruned
  double share = 0;                        // of the warp time
  std::optional<double> share_unpruned{};  // share before pruning; empty: not computed
};

struct StallCauses {
  std::vector<StallCause> lines;  // by stalled line, blamed line, loop, reason and dependency
  std::vector<StallCause> loops;  // by innermost loop, reason and dependency; also outside loops
  double issued = 0;              // share of the warp time without a stall
  double unattributed = 0;        // share of the warp time outside the kernel's code
};

// Returns the causes, the largest share first. Without line information, every instruction is a
// line of its own. Rows with a share of 0 were blamed only before pruning.
StallCauses causes_of(const read::Kernel& kernel, const BlamedProfile& blamed);

}  // namespace burin::advise
