// Lower bounds on the launch's time. Each bound is one formula: the amount of work (instructions,
// passes or bytes) divided by the machine's throughput for it. The distance from the emulated time
// to the largest bound is what can be gained without doing less work.
//
//   for (const Bound& bound : bounds(study)) …        // {"dram", 125.3}, {"issue", 22.1}, …
#pragma once

#include <string>
#include <vector>

#include "analyze/study/study.h"

namespace burin::analyze {

struct Bound {
  // A resource's name, or one of: "tma", the SMs' copy engines; "chain", the longest dependency
  // chain of one warp, summed over the blocks that run one after another on an SM; "launch", the
  // time of an empty kernel; "tail", the largest bound of the SM's own units on the SM with the
  // most blocks.
  std::string name;
  double time_us = 0;
};
// The lower bounds of the launch, largest first. Bounds of 0 are left out.
std::vector<Bound> bounds(const Study& study);

// The launch's position on the roofline: arithmetic throughput against DRAM bandwidth.
struct Roofline {
  double operations = 0;  // floating-point operations, all lanes counted
  double dram_bytes = 0;
  double per_second = 0;  // operations per second at the emulated time
  // Operations per second at the larger of the arithmetic bound and the DRAM bound.
  double most_per_second = 0;
  bool memory = false;  // memory-bound: the DRAM bound is the larger one
};
Roofline roofline(const Study& study);

}  // namespace burin::analyze
