#include "advise/blame/paths.h"

#include <algorithm>
#include <utility>

namespace burin::advise {

BlamePaths::BlamePaths(const read::Kernel& kernel)
    : kernel_(kernel),
      cycles_before_(kernel.instructions.size() + 1, 0),
      place_(kernel.blocks.size(), read::kNoIndex) {
  for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
    cycles_before_[i + 1] =
        cycles_before_[i] + std::max(1, int{kernel.instructions[i].control.stall});
  }
  // Iterative post-order: generated code may nest deeper than the stack allows.
  struct Open {
    std::uint32_t block;
    std::size_t next;
  };
  std::vector<Open> open;
  std::vector<bool> seen(kernel.blocks.size(), false);
  for (auto entry = kernel.entries.rbegin(); entry != kernel.entries.rend(); ++entry) {
    if (seen[*entry]) continue;
    seen[*entry] = true;
    open.push_back({*entry, 0});
    while (!open.empty()) {
      const std::vector<read::Edge>& successors = kernel.blocks[open.back().block].successors;
      if (open.back().next == successors.size()) {
        order_.push_back(open.back().block);
        open.pop_back();
        continue;
      }
      const std::uint32_t next = successors[open.back().next++].block;
      if (seen[next]) continue;
      seen[next] = true;
      open.push_back({next, 0});
    }
  }
  std::reverse(order_.begin(), order_.end());
  for (std::uint32_t at = 0; at < order_.size(); ++at) place_[order_[at]] = at;
  for (const read::Loop& loop : kernel.loops) {
    Extent extent{read::kNoIndex, 0};
    for (const std::uint32_t block : loop.blocks) {
      extent.lowest = std::min(extent.lowest, place_[block]);
      extent.highest = std::max(extent.highest, place_[block]);
    }
    extents_.push_back(extent);
  }
  ahead_.resize(order_.size());
  around_.resize(order_.size());
}

double BlamePaths::cycles(std::uint32_t first, std::uint32_t end) const {
  return cycles_before_[end] - cycles_before_[first];
}

// From the end of a block, over all successors. `around`: the path takes a back edge now or later.
BlamePaths::Reach BlamePaths::from_end(std::uint32_t block, bool around) const {
  Reach best;
  double sum = 0;
  unsigned ways = 0;
  for (const read::Edge& edge : kernel_.blocks[block].successors) {
    const std::uint32_t next = place_[edge.block];
    const bool back = next <= place_[block];
    const Reach* reach = nullptr;
    if (!around) {
      if (!back && next <= place_[kernel_.block_of[waits_]]) reach = &ahead_[next];
    } else if (back) {
      if (next >= walked_ && next <= place_[kernel_.block_of[waits_]]) reach = &ahead_[next];
    } else if (edge.block != kernel_.block_of[waits_] && next <= extents_[walked_around_].highest) {
      reach = &around_[next];
    }
    if (reach == nullptr || !reach->valid) continue;
    best.longest = std::max(best.longest, reach->longest);
    best.least_cycles =
        best.valid ? std::min(best.least_cycles, reach->least_cycles) : reach->least_cycles;
    best.valid = true;
    sum += reach->average;
    ++ways;
  }
  if (ways != 0) best.average = sum / ways;
  return best;
}

BlamePaths::Reach BlamePaths::from_start(std::uint32_t block, bool around) const {
  Reach reach = from_end(block, around);
  const auto [first, last] = std::pair(kernel_.blocks[block].first, kernel_.blocks[block].last);
  reach.longest += last + 1 - first;
  reach.average += last + 1 - first;
  reach.least_cycles += cycles(first, last + 1);
  return reach;
}

// Extends ahead_ down to `lowest`.
void BlamePaths::walk(std::uint32_t lowest) {
  while (walked_ > lowest) {
    --walked_;
    ahead_[walked_] = from_start(order_[walked_], false);
  }
}

std::uint32_t BlamePaths::common_loop(std::uint32_t first, std::uint32_t second) const {
  const auto depth = [&](std::uint32_t l) {
    return l == read::kNoIndex ? 0 : kernel_.loops[l].depth;
  };
  std::uint32_t a = kernel_.blocks[first].loop;
  std::uint32_t b = kernel_.blocks[second].loop;
  while (a != b) {
    std::uint32_t& deeper = depth(a) >= depth(b) ? a : b;
    deeper = kernel_.loops[deeper].parent;
  }
  return a;
}

void BlamePaths::walk_around(std::uint32_t loop) {
  if (walked_around_ == loop) return;
  walked_around_ = loop;
  walk(extents_[loop].lowest);
  for (std::uint32_t at = extents_[loop].highest + 1; at-- > extents_[loop].lowest;) {
    around_[at] = from_start(order_[at], true);
  }
}

void BlamePaths::towards(std::uint32_t waits) {
  waits_ = waits;
  walked_around_ = read::kNoIndex;
  const std::uint32_t block = kernel_.block_of[waits];
  walked_ = place_[block];
  if (walked_ == read::kNoIndex) return;
  const std::uint32_t first = kernel_.blocks[block].first;
  ahead_[walked_] = {.longest = waits - first,
                     .average = static_cast<double>(waits - first),
                     .least_cycles = cycles(first, waits),
                     .valid = true};
}

PathLength BlamePaths::from(std::uint32_t cause) {
  const std::uint32_t block = kernel_.block_of[cause];
  const std::uint32_t target = kernel_.block_of[waits_];
  if (block == target && cause < waits_) {
    const std::uint32_t length = waits_ - cause;
    return {true, length, static_cast<double>(length), cycles(cause, waits_)};
  }
  Reach reach;
  if (place_[block] != read::kNoIndex && place_[target] != read::kNoIndex) {
    if (place_[block] < place_[target]) {
      walk(place_[block] + 1);
      reach = from_end(block, false);
    }
    const std::uint32_t loop = common_loop(block, target);
    if (!reach.valid && loop != read::kNoIndex) {
      walk_around(loop);
      reach = from_end(block, true);
    }
  }
  const std::uint32_t rest = kernel_.blocks[block].last + 1 - cause;
  if (!reach.valid) {
    // The path returns from a call or goes around two loops: only the two blocks are counted.
    const std::uint32_t length = rest + waits_ - kernel_.blocks[target].first;
    return {false, length, static_cast<double>(length), 0};
  }
  return {true, rest + reach.longest, rest + reach.average,
          cycles(cause, kernel_.blocks[block].last + 1) + reach.least_cycles};
}

}  // namespace burin::advise
