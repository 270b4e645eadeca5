// How much a block does, in warp instructions.
#pragma once

#include <vector>

namespace burin::timing {

struct BlockWork {
  double steps = 0;           // instructions of all its warps
  double longest = 0;         // … of the warp that has most
  std::vector<double> warps;  // … of each
};

BlockWork work_of_warps(std::vector<double> warps);

}  // namespace burin::timing
