// Time as a function of resident blocks per SM: shows how much occupancy can be given up.
//
//   blocks   warps    time
//   8        64       335 µs
//   4        32       341 µs
//   1         8       702 µs
#pragma once

#include <cstdint>
#include <vector>

#include "analyze/study/study.h"

namespace burin::analyze {

struct Rung {
  std::uint64_t blocks = 0;  // resident blocks per SM
  std::uint64_t warps = 0;
  double time_us = 0;
};
// Returns one rung for each number of resident blocks, from the maximum that fits down to one; if
// many fit, only some of the numbers.
std::vector<Rung> occupancy_ladder(const Study& study);

// Returns the rung with the fewest resident blocks whose time is at most `slower` times that of the
// first rung (1.02: 2 % longer).
Rung least_occupancy(const std::vector<Rung>& ladder, double slower);

}  // namespace burin::analyze
