// The minimum time for the work of a launch, however it is programmed: every byte that it touches
// moves once, and its floating-point operations run at the peak rate. bounds.h has the bounds of
// the code as it is; a better program can save the difference between the two.
//
//   const WorkBound work = work_bound(study);
//   work.time_us              the largest of dram_us, arithmetic_us and launch_us
//   work.read_bytes           distinct bytes loaded, in whole 32-byte sectors
//
// Bytes are those of the traced blocks, continued over the grid along the strides of their
// addresses. Data-dependent addresses count as many sectors as random addresses would touch. Bytes
// that the predicted launch does not move to or from DRAM, because they hit in L2, do not count. An
// FFMA is two operations; a single addition is one operation at half the peak rate. Integer
// operations, conversions and special functions belong to this particular program and do not count.
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
