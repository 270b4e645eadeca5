#include "advise/patterns/code/collect_text.h"

#include "advise/patterns/code/idle_lanes.h"
#include "advise/patterns/code/splitting_branch.h"
#include "base/format.h"

namespace burin::advise {

namespace {

// What else a list in shared memory demands of the code around it.
std::string barrier_text(const Case& c, const std::vector<LaneMean>& lanes, std::uint32_t branch) {
  std::string text =
      " What an element needs is computed again from its index, and its result is stored by that "
      "index.";
  const std::uint32_t exit = early_return(c, lanes, branch);
  if (exit != read::kNoIndex) {
    text += fmt::format(
        " No thread may return before a __syncthreads(): instead of returning at {}, it adds "
        "nothing to a list.",
        place_name(c.kernel, exit));
  }
  return text;
}

}  // namespace

std::string collect_hint(const Case& c, const std::vector<LaneMean>& lanes, std::uint32_t branch,
                         std::uint32_t hot) {
  const std::string at = place_name(c.kernel, branch == read::kNoIndex ? hot : branch);
  const unsigned cases = cases_of(c, lanes, branch);
  if (cases > 2 || (cases == 2 && has_work_on_both_sides(c, lanes, branch))) {
    return fmt::format(
        "The condition at {} depends on loaded data, and {} of its sides have work. Sort the "
        "elements of the block by side first, into one list for each in __shared__ memory: count "
        "the elements of each side with atomicAdd on __shared__ counters; __syncthreads(); let "
        "each list begin at a multiple of 32, so that no warp has elements of two sides; each "
        "thread stores its element's index at the next place of its list; after __syncthreads() "
        "each warp processes 32 places of one list, and skips places past the list's end.{}",
        at, cases, barrier_text(c, lanes, branch));
  }
  return fmt::format(
      "The condition at {} depends on loaded data. Collect the elements first: each thread whose "
      "element passes reserves a slot with atomicAdd on a __shared__ counter and stores its index "
      "there; after __syncthreads() threads 0, 1, 2, … process these, in full warps.{}",
      at, barrier_text(c, lanes, branch));
}

}  // namespace burin::advise
