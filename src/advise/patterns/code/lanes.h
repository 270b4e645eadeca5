// Mean active lanes at each instruction, and how often guard predicates are true: used by rules
// about branches. Known only from the emulator.
//
//   std::vector<LaneMean> lanes = lanes_of(study);
//   lanes[branch].active             16: of 32 lanes, averaged over its executions
//   lanes[branch].guarded            0: never taken
#pragma once

#include <vector>

#include "analyze/study/study.h"

namespace burin::advise {

struct LaneMean {
  double executions = 0;  // in the traced blocks
  double active = 0;      // mean active lanes
  double guarded = 0;     // mean active lanes with a true guard predicate
};
std::vector<LaneMean> lanes_of(const analyze::Study& study);  // for each instruction of the kernel

}  // namespace burin::advise
