#include "coarsen/unfinished_loops.h"

#include <algorithm>
#include <map>

namespace burin::coarsen {
namespace {

using read::Graph;
using read::kNoIndex;

// The blocks from which `header` is reached without leaving the loop, given those that jump back.
std::vector<std::uint32_t> blocks_of(const Graph& reversed, std::uint32_t header,
                                     std::vector<std::uint32_t> work) {
  std::vector<bool> seen(reversed.size(), false);
  seen[header] = true;
  std::vector<std::uint32_t> found = {header};
  while (!work.empty()) {
    const std::uint32_t block = work.back();
    work.pop_back();
    if (seen[block]) continue;
    seen[block] = true;
    found.push_back(block);
    const auto before = reversed.successors(block);
    work.insert(work.end(), before.begin(), before.end());
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace

UnfinishedLoops::UnfinishedLoops(const read::ptx::Flow& flow)
    : innermost_(flow.graph.size(), kNoIndex) {
  const read::DominatorTree tree = read::dominator_tree(flow.graph, 0);
  const auto dominates = [&](std::uint32_t a, std::uint32_t b) {
    return tree.spans[b].first - tree.spans[a].first < tree.spans[a].count;
  };
  std::map<std::uint32_t, std::vector<std::uint32_t>> back;  // header: blocks that jump back to it
  for (const std::uint32_t block : flow.order) {
    for (const std::uint32_t next : flow.graph.successors(block)) {
      if (dominates(next, block)) back[next].push_back(block);
    }
  }
  const Graph reversed = flow.graph.reversed();
  for (const auto& [header, from] : back) {
    loops_.push_back({header, kNoIndex, blocks_of(reversed, header, from)});
  }
  std::ranges::stable_sort(loops_, std::ranges::greater{},
                           [](const Loop& loop) { return loop.blocks.size(); });
  for (std::uint32_t i = 0; i < loops_.size(); ++i) {
    loops_[i].parent = innermost_[loops_[i].header];
    for (const std::uint32_t block : loops_[i].blocks) innermost_[block] = i;
  }
}

Place UnfinishedLoops::follow(Place from, std::uint32_t to) const {
  std::uint32_t loop = from.unfinished;
  while (loop != kNoIndex && !std::ranges::binary_search(loops_[loop].blocks, to)) {
    loop = loops_[loop].parent;
  }
  if (loop != kNoIndex && loops_[loop].header == to) loop = loops_[loop].parent;
  return {to, loop};
}

}  // namespace burin::coarsen
