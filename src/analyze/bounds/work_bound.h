// The least time that the work of a launch takes, however it is programmed: every byte that it
// touches moves once, and its floating-point operations are done at the peak rate. bounds.h has the
// bounds of the code as it is; what lies between the two is what a better program saves.
//
//   const WorkBound work = work_bound(study);
//   work.time_us              the largest of dram_us, arithmetic_us and launch_us
//   work.read_bytes           distinct bytes loaded, in whole 32-byte sectors
//
// Bytes are those of the traced blocks, continued over the grid along the strides of their
// addresses. Of data-dependent addresses, as many sectors count as random ones would hit. Bytes
// that the predicted launch does not move to or from DRAM (the L2 cache has them) do not count. An
// FFMA is two operations; an addition alone is one, and takes half of the time. Integer operations,
// conversions and special functions serve the program as it is and do not count.
#pragma once

#include "analyze/study/study.h"

namespace burin::analyze {

struct WorkBound {
  double read_bytes = 0;
  double write_bytes = 0;
  double operations = 0;  // floating-point, of lanes that execute them
  double dram_us = 0;
  double arithmetic_us = 0;
  double launch_us = 0;  // an empty kernel
  double time_us = 0;
};
WorkBound work_bound(const Study& study);

}  // namespace burin::analyze
