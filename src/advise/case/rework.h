// The time of code that does the same work with other threads, estimated from its load on each
// unit.
//
// Some changes cannot be emulated as edits of the trace: 32 lanes share the work of one thread, or
// a loop is split over the grid. The instructions and bytes of such code follow from those of the
// current launch. Its time is that of the busiest unit, with the work spread evenly over all SMs,
// at the fraction of the unit's throughput that code of this kind reaches.
//
//   Work work = work_of(c);                    // the launch as it is
//   work.passes[load] /= 8;                    // coalesced
//   const Reworked after = rework(c, work);    // {.time_us = 67.2, .limit = "dram"}
//   set_rework(c, after, match);               // the match's estimate
#pragma once

#include <string>
#include <vector>

#include "advise/case/rule.h"

namespace burin::advise {

// The load of a launch on the GPU's units.
struct Work {
  std::vector<double> issued{};    // warp instructions, per instruction of the kernel
  std::vector<double> passes{};    // passes over the banks of L1 or shared memory, per instruction
  std::vector<double> l2_bytes{};  // between L1 and L2, per instruction
  // L2 requests per sector, per instruction: one request serves two adjacent sectors, or a single
  // one.
  std::vector<double> l2_requests{};
  double dram_read_bytes = 0;
  double dram_write_bytes = 0;
  double atomic_cycles = 0;  // for which the busiest slices of L2 perform atomics
  double more_issued = 0;    // warp instructions that the changed code adds
};
inline constexpr double kAdjacentSectors = 0.5;  // l2_requests of coalesced accesses
Work work_of(const Case& c);                     // needs a study

struct Reworked {
  double time_us = 0;
  std::string limit{};  // name of the unit that limits it: "dram"
};
// Fractions of the busiest unit's throughput that rewritten kernels reach (bench/advice/paths):
// 0.72 to 0.92 if DRAM limits them, mostly 0.87 to 0.9; less if tiles are loaded between barriers.
inline constexpr double kStreamReach = 0.87;
inline constexpr double kTileReach = 0.65;
Reworked rework(const Case& c, const Work& work, double reach = kStreamReach);

// Makes the reworked time the match's estimate. The speedup is over the measured time if there is
// one.
void set_rework(const Case& c, const Reworked& after, Match& match);

}  // namespace burin::advise
