#include "advise/patterns/mapping/uneven_blocks.h"

#include <algorithm>
#include <vector>

#include "advise/case/origin.h"

namespace burin::advise {

namespace {

constexpr double kIdleWork = 0.02;       // of the longest block's, for a block that returns at once
constexpr double kMinIdleBlocks = 0.05;  // of the grid
constexpr double kMinItems = 1.5;        // iterations of a loop over items
constexpr Origins::Mask kThreads = Origins::kThreadX | Origins::kThreadY | Origins::kThreadZ;
constexpr double kUnequalTrips = 1.05;  // most over fewest

// How often a block executes each instruction, per warp.
using Counts = std::vector<double>;

Counts counts_of(const Case& c, const timing::BlockTrace& trace) {
  Counts counts(c.size());
  for (const auto& steps : trace.warps) {
    for (const timing::TraceStep& step : steps) counts[step.instruction] += 1;
  }
  for (double& count : counts) count /= static_cast<double>(trace.warps.size());
  return counts;
}

std::vector<Counts> traced_blocks(const Case& c) {
  const timing::TracedLaunch& traced = c.study->traced();
  std::vector<Counts> blocks;
  const auto add = [&](const timing::BlockTrace& trace) {
    if (!trace.warps.empty()) blocks.push_back(counts_of(c, trace));
  };
  add(traced.reference);
  add(traced.longest);
  for (const timing::TracedWindow& window : traced.windows) {
    for (const timing::BlockTrace& trace : window.traces) add(trace);
  }
  return blocks;
}

struct Range {
  double fewest = 0;
  double most = 0;
  double mean = 0;
};
template <typename Value>
Range range_of(const std::vector<Counts>& blocks, Value value) {
  Range range{.fewest = value(blocks.front())};
  for (const Counts& counts : blocks) {
    const double of = value(counts);
    range.fewest = std::min(range.fewest, of);
    range.most = std::max(range.most, of);
    range.mean += of / static_cast<double>(blocks.size());
  }
  return range;
}

// Iterations per entry in each block. A loop that is not entered has none.
Range trips_of(const Case& c, const std::vector<Counts>& blocks, std::uint32_t loop) {
  const read::Loop& of = c.kernel.loops[loop];
  return range_of(blocks, [&](const Counts& counts) {
    const double all = counts[c.kernel.blocks[of.header].first];
    double entries = 0;  // arrivals from before the loop
    for (const read::Edge& edge : c.kernel.blocks[of.header].predecessors) {
      const std::uint32_t last = c.kernel.blocks[edge.block].last;
      if (!c.places.in_loop(last, loop)) entries += counts[last];
    }
    entries = std::min(entries, all);
    return entries > 0 ? all / entries : 0;
  });
}

// What the block with the most executes in the loop beyond the mean of the blocks.
double excess_of(const Case& c, const std::vector<Counts>& blocks, std::uint32_t loop) {
  const read::InstructionSet inside = c.places.instructions_of_loop(loop);
  const Range work = range_of(blocks, [&](const Counts& counts) {
    double sum = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) sum += inside[i] != 0 ? counts[i] : 0;
    return sum;
  });
  return work.most - work.mean;
}

std::uint32_t largest_child(const Case& c, const std::vector<Counts>& blocks,
                            std::uint32_t parent) {
  std::uint32_t found = read::kNoIndex;
  double most = 0;
  for (std::uint32_t loop = 0; loop < c.kernel.loops.size(); ++loop) {
    if (c.kernel.loops[loop].parent != parent) continue;
    const double excess = excess_of(c, blocks, loop);
    if (excess <= most) continue;
    most = excess;
    found = loop;
  }
  return found;
}

void find_loop(const Case& c, const std::vector<Counts>& blocks, UnevenBlocks& found) {
  for (std::uint32_t loop = largest_child(c, blocks, read::kNoIndex); loop != read::kNoIndex;
       loop = largest_child(c, blocks, loop)) {
    const Range trips = trips_of(c, blocks, loop);
    if (trips.most <= kUnequalTrips * trips.fewest) continue;
    found.loop = loop;
    found.fewest = trips.fewest;
    found.most = trips.most;
    return;
  }
}

// The outermost loop whose trip count depends on blockIdx or on loaded values.
std::uint32_t loop_of_block_or_data(const Case& c) {
  const Origins origins(c.kernel);
  for (std::uint32_t loop = 0; loop < c.kernel.loops.size(); ++loop) {  // outer ones first
    for (const std::uint32_t latch : c.kernel.loops[loop].latches) {
      const std::uint32_t branch = c.kernel.blocks[latch].last;
      if ((origins.of(branch) & (Origins::kBlock | Origins::kMemory)) != 0) return loop;
    }
  }
  return read::kNoIndex;
}

// The outermost loop around it in which all threads of the block go from item to item.
std::uint32_t items_around(const Case& c, const std::vector<Counts>& blocks, std::uint32_t loop) {
  const Origins origins(c.kernel);
  std::uint32_t found = read::kNoIndex;
  for (std::uint32_t l = c.kernel.loops[loop].parent; l != read::kNoIndex;
       l = c.kernel.loops[l].parent) {
    const read::Loop& outer = c.kernel.loops[l];
    const bool of_block = std::ranges::all_of(outer.latches, [&](std::uint32_t latch) {
      return (origins.of(c.kernel.blocks[latch].last) & kThreads) == 0;
    });
    if (of_block && trips_of(c, blocks, l).mean >= kMinItems) found = l;
  }
  return found;
}

// The exit of the blocks that return at once: the last test in the trace of one, or else the first
// in the code that depends on the block alone.
std::uint32_t exit_of_idle(const Case& c) {
  const auto tests = [&](std::uint32_t i) {
    const read::Instruction& at = c.at(i);
    return at.known() && !at.guard.always() && c.places.loop_of(i) == read::kNoIndex &&
           (at.opcode->flow == read::Opcode::kExit || at.opcode->flow == read::Opcode::kBranch);
  };
  const timing::BlockTrace& idle = c.study->traced().idle;
  if (!idle.warps.empty()) {
    const std::vector<timing::TraceStep>& steps = idle.warps.front();
    for (std::size_t k = steps.size(); k-- > 0;) {
      if (tests(steps[k].instruction)) return steps[k].instruction;
    }
  }
  const Origins origins(c.kernel);
  for (std::uint32_t i = 0; i < c.size(); ++i) {
    const Origins::Mask from = origins.of(i);
    if (tests(i) && (from & Origins::kBlock) != 0 && (from & kThreads) == 0) return i;
  }
  return read::kNoIndex;
}

void find_idle(const Case& c, UnevenBlocks& found) {
  const timing::WorkSample& works = c.study->traced().works;
  double most = 0;
  for (std::uint64_t b = 0; b < c.grid.total(); ++b) most = std::max(most, works.of(b).steps);
  found.idle_steps = kIdleWork * most;
  std::uint64_t idle = 0;
  std::uint64_t above = 0;  // of these, with blockIdx.x > blockIdx.y
  std::uint64_t under = 0;
  for (std::uint64_t b = 0; b < c.grid.total(); ++b) {
    if (!found.is_idle(works.of(b).steps)) continue;
    ++idle;
    const std::uint64_t x = b % c.grid.x;
    const std::uint64_t y = b / c.grid.x;
    above += x > y ? 1 : 0;
    under += x < y ? 1 : 0;
  }
  if (static_cast<double>(idle) < kMinIdleBlocks * static_cast<double>(c.grid.total())) return;
  found.exit = exit_of_idle(c);
  if (found.exit == read::kNoIndex) return;
  found.idle = idle;
  const std::uint64_t n = c.grid.x;
  const std::uint64_t side = n * (n - 1) / 2;
  const bool one_side = (above == side && under == 0) || (under == side && above == 0);
  const std::uint64_t on_diagonal = idle - above - under;
  found.triangle =
      c.grid.y == n && c.grid.z == 1 && n > 1 && one_side && (on_diagonal == 0 || on_diagonal == n);
  found.below = above == side;
  found.diagonal = on_diagonal == 0;
}

}  // namespace

UnevenBlocks uneven_blocks(const Case& c) {
  UnevenBlocks found;
  find_idle(c, found);
  if (found.idle > 0) return found;
  const std::vector<Counts> blocks = traced_blocks(c);
  if (blocks.empty()) return found;
  find_loop(c, blocks, found);
  if (found.loop == read::kNoIndex) found.loop = loop_of_block_or_data(c);
  if (found.loop == read::kNoIndex) return found;
  found.items = items_around(c, blocks, found.loop);
  return found;
}

}  // namespace burin::advise
