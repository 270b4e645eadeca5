// The chain of instructions and waits that determines the time. It runs from the last instruction
// issued back to whatever that instruction waited for, and so on to the start of the SM. The path
// can cross to another warp at a busy unit or a barrier, and from the start of a block to the block
// that freed its place.
//
//   CriticalPath path = critical_path(study.path());
//   path.links[0]         LDG at 0x0130 → FFMA at 0x01c0, long_scoreboard, 71 % of the path
//
// Links with the same stall reason between the same two instructions are merged into one entry. The
// cycles of all entries add up to the cycles of the path.
#pragma once

#include <cstdint>
#include <vector>

#include "launch/stall.h"
#include "timing/sm/path_step.h"

namespace burin::analyze {

struct PathLink {
  std::uint32_t instruction = 0;  // the instruction that waits
  // The instruction waited for; kNone: start of the SM.
  std::uint32_t cause = timing::PathStep::kNone;
  launch::Stall stall = launch::Stall::kWait;  // reason for the wait
  double cycles = 0;
  std::uint64_t times = 0;  // number of occurrences on the path
};

struct CriticalPath {
  double cycles = 0;
  std::vector<PathLink> links;  // most cycles first
};

CriticalPath critical_path(const timing::PathSteps& steps);

}  // namespace burin::analyze
