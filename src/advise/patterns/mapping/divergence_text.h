// The advice for divergent warps: what the lanes do, and how the same work fits into full warps.
//
//   describe_divergence(c, {.lanes = lanes, .full = 32, .split = split, …}, match);
//   match.text     "Only 16.0 of 32 lanes are active at a.cu:25: the branch at a.cu:24 diverges."
//   match.hint     "The condition at a.cu:24 depends on the thread index alone. Let the first …"
#pragma once

#include <cstdint>
#include <vector>

#include "advise/case/rule.h"
#include "advise/patterns/code/splitting_branch.h"
#include "advise/patterns/mapping/one_thread.h"

namespace burin::advise {

struct Divergent {
  const std::vector<LaneMean>& lanes;
  const std::vector<double>& wasted;  // per instruction; 0: no idle lanes
  double full = 0;                    // lanes of a full warp
  Split split{};                      // where most time is lost
  bool joined = false;                // most of the kernel is skipped: fewer threads are launched
  const OneThreadLoops& alone;        // loops that one thread runs because of its index
};
// Sets where, text, hint, check, and the toll of a loop whose lanes need different trip counts.
void describe_divergence(const Case& c, const Divergent& d, Match& match);

}  // namespace burin::advise
