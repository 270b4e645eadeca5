// The time against the number of blocks that an SM holds: how much occupancy can be given up.
//
//   blocks   warps    time
//   8        64       335 µs
//   4        32       341 µs
//   1         8       702 µs
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/study.h"

namespace burin::analyze {

struct Rung {
  std::uint64_t blocks = 0;  // on an SM at a time
  std::uint64_t warps = 0;
  double time_us = 0;
};
// From as many blocks as fit down to one; of many, some.
std::vector<Rung> occupancy_ladder(const Study& study);

// The fewest blocks with which the launch takes at most `slower` times as long (1.02: 2 % longer).
Rung least_occupancy(const std::vector<Rung>& ladder, double slower);

}  // namespace burin::analyze
