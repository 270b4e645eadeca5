#include "timing/trace/block_work.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace burin::timing {

BlockWork work_of_warps(std::vector<double> warps) {
  BlockWork work;
  work.steps = std::accumulate(warps.begin(), warps.end(), 0.0);
  work.longest = warps.empty() ? 0 : std::ranges::max(warps);
  work.warps = std::move(warps);
  return work;
}

}  // namespace burin::timing
