// Where the lanes of a divergent kernel are idle, and why: the branch or loop that most of the lost
// time is due to, and what its lanes do before and after it.
//
//   const Split split = largest_split(c, lanes, stalls);
//   idle_text(c, lanes, wasted, 32, split)   "Only 6.0 of 32 lanes are active at a.cu:29: …"
//   cases_of(c, lanes, split.branch)         7: of a switch; 2: if and else; 1: only an if
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "advise/case/rule.h"
#include "advise/patterns/code/lanes.h"
#include "advise/patterns/code/splitting_branch.h"

namespace burin::advise {

// The split with the most of the matched stalls, at the instruction with the largest of these. Of
// the stalls, those of one branch or of one loop's exits count together. Lanes meet again one after
// another, so stalls at reconvergence points say nothing of the active lanes; `hot` is kNoIndex if
// there are no others.
Split largest_split(const Case& c, const std::vector<LaneMean>& lanes,
                    std::span<const MatchedStall> stalls);

// The active lanes at the source line with most of the idle ones that the split causes, the mean
// over all its code if that differs, and the cause. `wasted`: per instruction, 0: no idle lanes.
// `loop`: lanes leave it after different numbers of iterations; kNoIndex: it is a branch.
std::string idle_text(const Case& c, const std::vector<LaneMean>& lanes,
                      const std::vector<double>& wasted, double full, const Split& split,
                      std::uint32_t loop);

// An instruction of the loop on a line that has the loop in the source; its back edge if there is
// none.
std::uint32_t head_of_loop(const Case& c, std::uint32_t loop);

// The executed sides of a branch that do not lead directly to where the sides meet. Branches on the
// same source line count as one: the comparisons and the jump of a switch.
unsigned cases_of(const Case& c, const std::vector<LaneMean>& lanes, std::uint32_t branch);

// Whether the lanes that the branch turns away have done work before it: in a loop, in shuffles, at
// a barrier, or by stores to shared memory.
bool works_before(const Case& c, std::uint32_t branch);

// The exit before the instruction by which some threads leave the kernel; kNoIndex: none.
std::uint32_t early_return(const Case& c, const std::vector<LaneMean>& lanes,
                           std::uint32_t instruction);

}  // namespace burin::advise
