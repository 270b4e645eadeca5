// How full the warps are at each instruction, and how often guards hold: what rules about branches
// ask. Only the emulator knows it.
//
//   std::vector<LaneMean> lanes = lanes_of(study);
//   lanes[branch].active             16: of 32 lanes, in the mean of its executions
//   lanes[branch].guarded            0: never taken
#pragma once

#include <vector>

#include "analyze/study.h"

namespace burin::advise {

struct LaneMean {
  double executions = 0;  // in the blocks that were traced
  double active = 0;      // lanes that are at the instruction
  double guarded = 0;     // … whose guard holds
};
std::vector<LaneMean> lanes_of(const analyze::Study& study);  // of each instruction of the kernel

}  // namespace burin::advise
