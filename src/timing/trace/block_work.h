// The amount of work of a block, in warp instructions.
#pragma once

#include <vector>

namespace burin::timing {

struct BlockWork {
  double steps = 0;           // instructions of all its warps
  double longest = 0;         // instructions of its longest warp
  std::vector<double> warps;  // instructions of each warp
  double cycles = 0;          // if not 0: cycles of each warp, independent of the SM's load
};

BlockWork work_of_warps(std::vector<double> warps);

}  // namespace burin::timing
