// The chain of instructions and waits that sets the time: from the last instruction to issue back
// to what it waited for, and so on to the start of the SM. A unit or a barrier may lead over to
// another warp, a block's start to the block that made room for it.
//
//   CriticalPath path = critical_path(study.path());
//   path.links[0]         LDG at 0x0130 → FFMA at 0x01c0, long_scoreboard, 71 % of the path
//
// The links of one kind, between the same two instructions, are one entry. Their cycles add up to
// the path's.
#pragma once

#include <cstdint>
#include <vector>

#include "launch/stall.h"
#include "timing/sm/path_step.h"

namespace burin::analyze {

struct PathLink {
  std::uint32_t instruction = 0;                  // that waits
  std::uint32_t cause = timing::PathStep::kNone;  // for this one; none: for the SM to start
  launch::Stall stall = launch::Stall::kWait;     // how
  double cycles = 0;
  std::uint64_t times = 0;  // on the path
};

struct CriticalPath {
  double cycles = 0;
  std::vector<PathLink> links;  // the costliest first
};

CriticalPath critical_path(const timing::PathSteps& steps);

}  // namespace burin::analyze
