// Times that the launch cannot be faster than, each by one formula over what it does: so many
// instructions, passes and bytes, over what the machine can do of them. How far the emulated time
// is above the largest says what is left to gain without doing less.
//
//   for (const Bound& bound : bounds(study)) …        // {"dram", 125.3}, {"issue", 22.1}, …
#pragma once

#include <string>
#include <vector>

#include "analyze/study.h"

namespace burin::analyze {

struct Bound {
  // A resource's name; "chain": the longest chain of waits of one warp, for all blocks that follow
  // one another on an SM; "launch": of an empty kernel; "tail": the largest bound of the SMs' own
  // units for the SM that has the most blocks.
  std::string name;
  double time_us = 0;
};
std::vector<Bound> bounds(const Study& study);  // the largest first; those of 0 are left out

// How the launch stands between what the arithmetic units and what DRAM could do.
struct Roofline {
  double operations = 0;  // floating-point, all lanes counted
  double dram_bytes = 0;
  double per_second = 0;       // operations, by the emulated time
  double most_per_second = 0;  // by the larger of the units' and DRAM's bounds
  bool memory = false;         // the larger is DRAM's
};
Roofline roofline(const Study& study);

}  // namespace burin::analyze
