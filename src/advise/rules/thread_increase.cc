// Blocks so small that an SM reaches its block limit before its warp limit, or that leave lanes of
// their warps idle.
//
// The work of a scheduler stays the same while more warps share it, so factor f undoes C_W; if
// lanes were idle, f counts the warps that are saved. If the reshape proof allows larger blocks,
// they are emulated. Otherwise the code must change, and the gain is computed for the same work: an
// edit after which the proof holds, or several of today's blocks in one (launch_shape.h). Blocks of
// one thread that runs through a long loop become warps that share the loop. On SMs with few warps,
// blocks whose loops step by blockDim get more threads, which share the iterations.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "advise/case/estimate.h"
#include "advise/case/requests.h"
#include "advise/case/rework.h"
#include "advise/case/trust.h"
#include "advise/patterns/mapping/grid_split.h"
#include "advise/patterns/mapping/launch_shape.h"
#include "advise/patterns/mapping/one_thread.h"
#include "advise/patterns/mapping/strided_loops.h"
#include "advise/rules/all.h"
#include "analyze/bounds/bounds.h"
#include "base/format.h"
#include "base/text.h"
#include "timing/code/timed_code.h"

namespace burin::advise {

namespace {

constexpr std::uint64_t kMaxThreads = 512;
constexpr double kIdleLanes = 0.2;       // of the lanes
constexpr double kDispatchLimits = 0.9;  // busy share of block dispatch
constexpr double kMaxSpread = 2;         // bytes moved over those that adjacent elements need
constexpr double kBetter = 1.01;         // speedup that justifies a larger block
constexpr double kMaxWarpsPerSm = 16;    // of an SM on which more threads may hide latency
constexpr double kMinLoopShare = 0.5;    // of the time, in loops that step by blockDim
constexpr double kMaxWorkFactor = 1.5;   // executed instructions, over those of the launch

double block_warps(const launch::Dims& block) {
  return std::ceil(static_cast<double>(block.total()) / 32);
}

double idle_lanes(const launch::Dims& block) {
  return 1 - static_cast<double>(block.total()) / (32 * block_warps(block));
}

bool limited_by_blocks(const Case& c) {
  const bool full = static_cast<double>(c.grid.total()) >=
                    c.machine.sm.count * static_cast<double>(c.occupancy.blocks);
  const std::vector<std::string_view> limiters = c.occupancy.limiters();
  return full && std::ranges::find(limiters, "blocks") != limiters.end() &&
         static_cast<double>(c.occupancy.warps) < c.machine.limit.warps;
}

class ThreadIncrease final : public Rule {
  std::string_view id() const override { return "thread-increase"; }
  std::string_view summary() const override { return "occupancy limited by small blocks"; }
  bool needs_launch_shape() const override { return true; }

  std::vector<Match> match(const Case& c) const override {
    if (c.kernel.function->required_block) return {};
    const LaunchShape shape(c);
    if (!limited_by_blocks(c) && idle_lanes(c.block) < kIdleLanes) {
      std::optional<Match> more = more_threads(c, shape);
      return more ? std::vector{std::move(*more)} : std::vector<Match>{};
    }
    const bool believed = emulation_trust(c).yes;
    std::vector<Match> larger;
    for (const launch::Dims& block : larger_blocks(c, true)) {
      if (std::optional<launch::Launch> launch = shape.with_block(block))
        larger.push_back(with_block(c, std::move(*launch), believed));
    }
    if (larger.empty()) larger = with_other_code(c, shape);
    // The best candidate, by emulation or else by the equations.
    std::optional<Match> best;
    double most = 1;
    for (Match& match : larger) {
      const double speedup = match.emulated ? *match.emulated : estimate(c, match);
      // By the equations a larger block is never worse, so the smallest of the best is chosen.
      if (speedup <= most * (match.emulated ? 1 : kBetter)) continue;
      most = speedup;
      best = std::move(match);
    }
    if (!best) return {};
    return {std::move(*best)};
  }

  // The same grid, in blocks with more threads for loops that step by blockDim: the fastest by
  // emulation, if it neither repeats work nor accesses memory out of bounds.
  static std::optional<Match> more_threads(const Case& c, const LaunchShape& shape) {
    if (c.study == nullptr || !emulation_trust(c).yes || !c.study->base().faults.empty()) {
      return std::nullopt;
    }
    const double blocks = std::min(static_cast<double>(c.occupancy.blocks),
                                   static_cast<double>(c.grid.total()) / c.machine.sm.count);
    const double warps = std::max(1.0, blocks) * block_warps(c.block);
    if (c.block.y > 1 || c.block.z > 1 || warps > kMaxWarpsPerSm) return std::nullopt;
    if (block_stride_share(c) < kMinLoopShare) return std::nullopt;
    std::optional<Match> best;
    double most = kBetter;
    for (std::uint32_t threads = 2 * c.block.x; threads <= c.machine.limit.threads; threads *= 2) {
      Match match;
      match.launch = c.study->launch();
      match.launch->block.x = threads;
      const std::optional<timing::Prediction> p = predict_match(c, match);
      const double instructions = kMaxWorkFactor * c.study->base().instructions;
      if (!p || !p->faults.empty() || p->instructions > instructions) break;
      match.emulated = c.study->base().time_us / p->time_us;
      if (*match.emulated < kBetter * most) continue;
      most = *match.emulated;
      best = std::move(match);
    }
    if (!best) return std::nullopt;
    const std::uint64_t threads = best->launch->block.total();
    best->text = fmt::format(
        "Blocks of {} are {:.0f} of {:.0f} warps on an SM, while their loops step by blockDim.x "
        "through long ranges.",
        count_of(c.block.total(), "thread"), warps, c.machine.limit.warps);
    best->hint = fmt::format(
        "Launch blocks of {} instead of {}, in the same grid: each thread then has fewer "
        "iterations.",
        count_of(threads, "thread"), c.block.total());
    if (!shape.why_fixed().empty()) {
      best->hint += fmt::format(" Check first that the code supports them: {}.", shape.why_fixed());
    }
    best->check = shape_options(c.grid, best->launch->block);
    best->estimator = Estimator::kGiven;
    best->speedup = most;
    return best;
  }

  // Blocks with twice, four times … as many threads. `either`: along both axes of a 2D grid, since
  // only the emulator shows the effect on the caches.
  static std::vector<launch::Dims> larger_blocks(const Case& c, bool either) {
    std::vector<launch::Dims> blocks;
    const auto grow = [&](bool upwards) {
      for (launch::Dims block = c.block; block.total() * 2 <= kMaxThreads;) {
        (upwards ? block.y : block.x) *= 2;
        blocks.push_back(block);
      }
    };
    grow(c.block.x * 2 <= c.block.y);
    const bool whole_warps = c.block.total() % 32 == 0;
    if (either && c.grid.y > 1 && whole_warps && emulation_trust(c).yes)
      grow(c.block.x * 2 > c.block.y);
    return blocks;
  }

  // The same threads in larger blocks.
  static Match with_block(const Case& c, launch::Launch launch, bool believed) {
    machine::KernelNeeds needs = c.needs;
    needs.threads = launch.block.total();
    const machine::Occupancy fits = *machine::occupancy(c.machine, needs);
    Match match = with_warps(c, launch.block, fits);
    match.factor *= fuller(c, launch.block);
    match.hint =
        fmt::format("Launch blocks of {} threads ({}) in a grid of {}: an SM then holds {}.",
                    launch.block.total(), launch::to_string(launch.block),
                    launch::to_string(launch.grid), count_of(fits.warps, "warp"));
    match.check = shape_options(launch.grid, launch.block);
    if (c.study != nullptr) match.launch = std::move(launch);
    if (believed) match.emulated = reshaped(c, match);
    return match;
  }

  // If the code fixes the block size: blocks that an edit allows, or else several blocks in one.
  static std::vector<Match> with_other_code(const Case& c, const LaunchShape& shape) {
    std::vector<Match> matches;
    if (std::optional<Match> shared = lanes_share_loop(c)) matches.push_back(std::move(*shared));
    for (const launch::Dims& block : larger_blocks(c, false)) {
      const std::optional<LaunchShape::Edited> edited = shape.after_edit(block);
      if (!edited) continue;
      std::optional<Match> match = in_blocks_of(c, block, 1);
      if (!match) continue;
      match->where = shape.longest().instruction;
      match->hint = fmt::format("{}. Then launch blocks of {} threads ({}) in a grid of {}.{}",
                                edited->edit, block.total(), launch::to_string(block),
                                launch::to_string(edited->launch.grid), match->hint);
      match->check = shape_options(edited->launch.grid, block);
      matches.push_back(std::move(*match));
    }
    if (!matches.empty()) return matches;
    for (std::uint32_t blocks = 2; blocks * c.block.total() <= kMaxThreads; blocks *= 2) {
      const std::optional<LaunchShape::Stacked> stack = shape.stacked(blocks);
      if (!stack) continue;
      std::optional<Match> match = in_blocks_of(c, stack->block, blocks);
      if (!match) continue;
      match->where = shape.longest().instruction;
      match->hint =
          fmt::format("{} {}{}", shape.obstacle("Larger blocks"), stack->steps, match->hint);
      match->check = shape_options(stack->grid, stack->block);
      matches.push_back(std::move(*match));
    }
    return matches;
  }

  // The same work in blocks of this shape, with `shared` times the shared memory. The hint says how
  // many warps an SM then holds.
  static std::optional<Match> in_blocks_of(const Case& c, const launch::Dims& block,
                                           std::uint32_t shared) {
    machine::KernelNeeds needs = c.needs;
    needs.threads = block.total();
    needs.shared = c.needs.shared * shared;
    const Result<machine::Occupancy> fits = machine::occupancy(c.machine, needs);
    if (!fits) return std::nullopt;
    Match match = with_warps(c, block, *fits);
    match.factor *= fuller(c, block);
    double most = estimate(c, match);
    const std::optional<double> faster = with_fewer_blocks(c, block);
    if (faster) most = *faster;
    if (const std::optional<double> packed = with_full_lanes(c, block)) {
      most = std::min(most, *packed);
    }
    if (most != estimate(c, match)) {
      match.estimator = Estimator::kGiven;
      match.speedup = most;
    }
    // Several blocks in one: as if that many more of the present blocks fitted on an SM, which then
    // share its L1 cache.
    if (!faster && fuller(c, block) == 1 && emulation_trust(c).yes) {
      const std::uint64_t held = fits->blocks * (block.total() / c.block.total());
      const std::uint64_t residents[] = {held};
      match.emulated = c.study->base().time_us / c.study->with_residents(residents)[0].time_us;
    }
    match.hint = fmt::format(" An SM then holds {}.", count_of(fits->warps, "warp"));
    return match;
  }

  // How many more of the lanes have work with blocks of this shape.
  static double fuller(const Case& c, const launch::Dims& block) {
    return (1 - idle_lanes(block)) / (1 - idle_lanes(c.block));
  }

  // The speedup at which the units have the work of fewer warps with more lanes each. Every lane
  // still accesses memory where it does now.
  static std::optional<double> with_full_lanes(const Case& c, const launch::Dims& block) {
    if (c.study == nullptr || fuller(c, block) <= 1) return std::nullopt;
    Work work = work_of(c);
    for (double& issued : work.issued) issued /= fuller(c, block);
    Match match;
    set_rework(c, rework(c, work), match);
    return match.speedup;
  }

  // Blocks of one thread, which runs through adjacent elements in a loop whose iterations may be
  // done in any order: a warp for each.
  static std::optional<Match> lanes_share_loop(const Case& c) {
    constexpr double kMinSharedTrips = 32;
    constexpr double kCombining = 10;  // instructions: five shuffles, five operations
    constexpr std::uint32_t kRows = 8;
    constexpr std::uint32_t kLanes = 32;
    if (c.study == nullptr || c.block.total() != 1) return std::nullopt;
    const Slack slack(c);
    const std::optional<GridSplit> loop = independent_loop(c);
    if (!loop || source_iterations(c, slack, loop->loop) < kMinSharedTrips) return std::nullopt;
    const auto rows = static_cast<double>(c.grid.total());
    Work work = work_of(c);
    double bytes = 0;
    double moved = 0;
    double wait = 0;  // cycles of each warp
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      if (!c.places.in_loop(i, loop->loop)) continue;
      const double all = work.issued[i];
      work.issued[i] /= kLanes;
      if (!touches_global(c.at(i))) continue;
      const double own = all * read::access_bytes(c.at(i));
      bytes += own;
      moved += work.l2_bytes[i];
      wait += all / rows / kLanes * latency_of(*c.study, i);
      work.passes[i] = std::max(work.issued[i], own / timing::kLineBytes);
    }
    if (bytes <= 0 || moved > kMaxSpread * bytes) return std::nullopt;
    if (loop->reduces) work.more_issued = kCombining * rows;
    const launch::Dims block{kLanes, kRows};
    const launch::Dims grid{(c.grid.x + kRows - 1) / kRows, c.grid.y, c.grid.z};
    Match match;
    match.text = what(c);
    // Warps of few iterations: their latency is not hidden by work of their own.
    const double waves = rows / c.machine.sm.count / c.machine.limit.warps;
    if (loop->reduces) wait += kCombining / 2 * c.machine.shared.latency;
    Reworked after = rework(c, work);
    after.time_us += c.machine.seconds(std::max(1.0, waves) * wait) * 1e6;
    set_rework(c, after, match);
    match.where = c.kernel.blocks[c.kernel.loops[loop->loop].latches.front()].last;
    match.hint = fmt::format(
        "Let a warp do the work of each block: its lanes take the iterations of the {} in turn "
        "(start at threadIdx.x, step 32){}. Put {} such warps into a block: launch dim3({}, {}) in "
        "a grid of dim3({}, {}, {}) and replace blockIdx.x by blockIdx.x * blockDim.y + "
        "threadIdx.y.",
        c.places.loop_name(loop->loop),
        loop->chooses
            ? ", compare their best values with __shfl_down_sync, and lane 0 stores the result"
        : loop->reduces ? ", combine their results with __shfl_down_sync, and lane 0 stores the sum"
                        : "",
        kRows, block.x, block.y, grid.x, grid.y, grid.z);
    match.check = shape_options(grid, block);
    return match;
  }

  // The speedup where block dispatch limits the launch: fewer blocks take less of it, until another
  // unit limits. The latencies of one block remain.
  static std::optional<double> with_fewer_blocks(const Case& c, const launch::Dims& block) {
    if (c.study == nullptr) return std::nullopt;
    const timing::Prediction& p = c.study->base();
    const double busy = p.busy[static_cast<std::size_t>(machine::Resource::kDispatch)];
    if (busy < kDispatchLimits) return std::nullopt;
    const double blocks = static_cast<double>(c.block.total()) / static_cast<double>(block.total());
    double units = p.time_us * busy * blocks;
    double chain = 0;
    for (const analyze::Bound& bound : analyze::bounds(*c.study)) {
      if (bound.name == "chain") chain = bound.time_us;
      const bool other = bound.name != "tail" && bound.name != "chain" &&
                         bound.name != machine::name(machine::Resource::kDispatch);
      if (other) units = std::max(units, bound.time_us / kStreamReach);
    }
    return p.time_us / (chain + units);
  }

  static Match with_warps(const Case& c, const launch::Dims& block,
                          const machine::Occupancy& fits) {
    Match match;
    match.estimator = Estimator::kParallel;
    const auto threads = static_cast<double>(c.grid.total() * c.block.total());
    const double of_grid =
        std::ceil(threads / static_cast<double>(block.total()) / c.machine.sm.count);
    match.warps = std::min(of_grid, static_cast<double>(fits.blocks)) * block_warps(block) /
                  c.machine.sm.schedulers;
    match.factor = match.warps / warps_per_scheduler(c);
    match.relieves = {machine::Resource::kDispatch};  // fewer blocks
    match.text = what(c);
    return match;
  }

  static std::string what(const Case& c) {
    if (limited_by_blocks(c)) {
      return fmt::format(
          "Blocks of {}: an SM holds at most {} of them, which are {} of its {:.0f} warps.",
          count_of(c.block.total(), "thread"), c.occupancy.blocks, c.occupancy.warps,
          c.machine.limit.warps);
    }
    return fmt::format("Blocks of {} leave {:.0f} % of the lanes in their warps idle.",
                       count_of(c.block.total(), "thread"), 100 * idle_lanes(c.block));
  }
};

}  // namespace

const Rule* thread_increase() {
  static const ThreadIncrease rule;
  return &rule;
}

}  // namespace burin::advise
