#include "advise/patterns/mapping/divergence_text.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "advise/case/origin.h"
#include "advise/case/source_text.h"
#include "advise/patterns/code/collect_text.h"
#include "advise/patterns/code/idle_lanes.h"
#include "advise/patterns/mapping/row_text.h"
#include "advise/patterns/reductions/carried.h"
#include "base/format.h"

namespace burin::advise {

namespace {

constexpr double kMinSplitWarps = 0.75;  // of the warps diverge: not only those at a border
constexpr double kMinTripsPerLane = 4;   // iterations left for each lane that shares a loop

// Lanes that need different numbers of iterations.
void describe_bound(const Case& c, std::uint32_t loop, Match& match) {
  const double trips = source_iterations(c, Slack(c), loop);
  match.toll = kDefaultToll;
  match.hint = fmt::format("Lanes leave the {} after different trip counts, {:.1f} on average. ",
                           loop_name(c, loop), trips);
  const CarriedValues carried(c, loop);
  if (!carried.only_reductions() || trips < kMinTripsPerLane) {
    match.hint +=
        "Sort the elements by the length of their loops, so that the lanes of a warp have work "
        "of equal length.";
    return;
  }
  const std::uint32_t lanes =
      std::clamp(std::bit_floor(static_cast<std::uint32_t>(trips / kMinTripsPerLane)), 2u, 32u);
  const launch::Dims grid{c.grid.x * lanes, c.grid.y, c.grid.z};
  match.hint += fmt::format(
      "Let {0} lanes share the iterations of one: lane s of these (0 to {1}) begins with "
      "iteration s and goes on {0} iterations at a time{2}. Lanes that access adjacent memory "
      "now stay "
      "adjacent. Launch {0} times as many threads: a grid of dim3({3}, {4}, {5}).",
      lanes, lanes - 1,
      carried.any() ? ", and __shfl_down_sync() combines their partial results" : "", grid.x,
      grid.y, grid.z);
  match.check = shape_options(grid, c.block);
}

void describe_one_thread(const Case& c, const OneThreadLoops& alone, const std::string& at,
                         Match& match) {
  const bool several = alone.names.size() > 1;
  const std::string loops = fmt::format("the {}", fmt::join(alone.names, " and the "));
  match.check = shape_options(c.grid, c.block);
  if (alone.scans) {
    match.hint = fmt::format(
        "One thread runs {} for its block while the other {} wait, and stores a running "
        "result in each iteration. Let all threads do it as a scan: each takes the same number "
        "of adjacent elements, cub::BlockScan<…, {}> gives it the total of the threads before "
        "it, and it stores its own running results from there on. The launch stays the same.",
        loops, c.block.total() - 1, c.block.total());
    return;
  }
  match.hint = fmt::format(
      "One thread runs {} for its block while the other {} wait. Share the iterations of "
      "{}: let the index begin at threadIdx.x and advance by blockDim.x, outside of the "
      "condition at {}, with a partial result in each thread. {}ombine the results of a warp "
      "with sum += __shfl_down_sync(0xffffffff, sum, d), d = 16, 8, 4, 2, 1; lane 0 of each warp "
      "stores its sum to `__shared__ float part[32]`; after __syncthreads() the first warp adds "
      "these the same way, and thread 0 goes on with the result as now. What the other threads "
      "need of it goes through __shared__ memory and __syncthreads(). The launch stays the same.",
      loops, c.block.total() - 1, several ? "each of them" : "the loop", at,
      several ? "After each loop, c" : "C");
}

// The hint for a branch that depends on neither a loop's trip count nor the thread index alone.
std::string other_hint(const Case& c, const Divergent& d) {
  const std::uint32_t hot = d.split.hot;
  const std::uint32_t branch = d.split.branch;
  const std::string at = place_name(c.kernel, branch == read::kNoIndex ? hot : branch);
  const Origins::Mask from =
      branch == read::kNoIndex ? Origins::Mask{} : Origins(c.kernel).of(branch);
  if (d.joined && (from & Origins::kMemory) != 0) {
    return fmt::format(
        "Most of the kernel is skipped by the lanes that the condition at {} turns away, and "
        "loaded data determines their number. Number the elements of all blocks consecutively "
        "and "
        "launch one thread for each: it finds the part that its element belongs to in an array "
        "that the host or an earlier kernel fills, or by a binary search in the loaded bounds.",
        at);
  }
  if (d.joined) {
    return fmt::format(
        "Most of the kernel is skipped by the lanes that the condition at {} turns away. Launch "
        "threads for the other elements only: compute the element's index from the thread index "
        "so that the condition holds for every thread.",
        at);
  }
  if ((from & (Origins::kMemory | Origins::kLoaded)) != 0) {
    return collect_hint(c, d.lanes, branch, hot);
  }
  if (branch != read::kNoIndex &&
      d.lanes[hot].executions >= kMinSplitWarps * d.lanes[branch].executions) {
    return fmt::format(
        "The condition at {} depends on threadIdx and blockIdx, and nearly every warp has lanes "
        "of "
        "both kinds. Renumber the elements so that 32 adjacent threads agree: "
        "let one half of the threads take the elements of one kind and the other half those of "
        "the other (elements 2 * k, then 2 * k + 1, where every second one differs).",
        at);
  }
  return fmt::format(
      "The condition at {} depends on threadIdx and blockIdx. Let all lanes execute "
      "{}: clamp the indices to the valid range and choose the result with ?: instead of a "
      "branch; or let whole warps agree, with 32 threads along the index that it tests.",
      at, place_name(c.kernel, hot));
}

}  // namespace

void describe_divergence(const Case& c, const Divergent& d, Match& match) {
  const auto [hot, branch, bounded] = d.split;
  const bool own_loop = !d.joined && bounded != read::kNoIndex;
  match.where = own_loop ? head_of_loop(c, bounded) : branch != read::kNoIndex ? branch : hot;
  const std::string at = place_name(c.kernel, match.where);
  match.text =
      idle_text(c, d.lanes, d.wasted, d.full, d.split, own_loop ? bounded : read::kNoIndex);
  const std::optional<RowWalk> walk = own_loop ? row_walk(c) : std::nullopt;
  if (walk && walk->lanes > 1) {
    match.hint = fmt::format("Lanes leave the {} after different trip counts. {}",
                             loop_name(c, bounded), row_hint(c, *walk));
    match.check = row_launch(c, *walk);
  } else if (own_loop) {
    describe_bound(c, bounded, match);
  } else if (d.alone.instructions[hot] != 0) {
    describe_one_thread(c, d.alone, at, match);
  } else if (by_thread_alone(c, branch) && !d.joined &&
             has_work_on_both_sides(c, d.lanes, branch)) {
    match.hint = fmt::format(
        "The condition at {} depends on the thread's number alone, and both of its sides have "
        "work. Let whole warps take the same side: the first half of the block's threads takes "
        "the elements of one kind, the second half those of the other (elements 2 * k, then 2 * "
        "k + 1, where every second one differs). The launch stays the same.",
        at);
    match.check = shape_options(c.grid, c.block);
  } else if (by_thread_alone(c, branch) && !d.joined) {
    match.hint = fmt::format(
        "The condition at {} depends on the thread index alone. Let the first threads of the "
        "block do the work: `if (threadIdx.x < number of active threads)`, with the element's "
        "index computed from threadIdx.x (2 * k * threadIdx.x instead of a test of threadIdx.x "
        "% (2 * k) == 0), so that whole warps skip it. The launch stays the same.",
        at);
    match.check = shape_options(c.grid, c.block);
  } else {
    match.hint = other_hint(c, d);
  }
}

}  // namespace burin::advise
