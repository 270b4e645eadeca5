// Blocks so small that an SM reaches its block limit before its warp limit, or that leave lanes of
// their warps idle.
//
// The work of a scheduler stays the same while more warps share it, so factor f undoes C_W; if
// lanes were idle, f counts the warps that are saved. If the reshape proof allows larger blocks,
// they are emulated; otherwise the code must change, and only the equation estimates the gain.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "advise/case/estimate.h"
#include "advise/case/rework.h"
#include "advise/case/trust.h"
#include "advise/patterns/mapping/launch_shape.h"
#include "advise/rules/all.h"
#include "analyze/bounds/bounds.h"
#include "base/format.h"
#include "base/text.h"

namespace burin::advise {

namespace {

constexpr std::uint64_t kMaxThreads = 512;
constexpr double kIdleLanes = 0.2;       // of the lanes
constexpr double kDispatchLimits = 0.9;  // busy share of block dispatch
constexpr double kBetter = 1.01;         // speedup that justifies a larger block

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
    if (!limited_by_blocks(c) && idle_lanes(c.block) < kIdleLanes) return {};
    const LaunchShape shape(c);
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
    match.factor /= 1 - idle_lanes(c.block);
    match.hint =
        fmt::format("Launch blocks of {} threads ({}) in a grid of {}: an SM then holds {}.",
                    launch.block.total(), launch::to_string(launch.block),
                    launch::to_string(launch.grid), count_of(fits.warps, "warp"));
    match.check = shape_options(launch.grid, launch.block);
    if (c.study != nullptr) match.launch = std::move(launch);
    if (believed) match.emulated = reshaped(c, match);
    return match;
  }

  // If the code fixes the block size: the same work, with a larger part in each block. Cooperating
  // threads stay in their own warps, so no idle lanes are saved.
  static std::vector<Match> with_other_code(const Case& c, const LaunchShape& shape) {
    std::vector<Match> matches;
    for (const launch::Dims& block : larger_blocks(c, false)) {
      machine::KernelNeeds needs = c.needs;
      needs.threads = block.total();
      needs.shared = c.needs.shared * (block.total() / c.block.total());
      const Result<machine::Occupancy> fits = machine::occupancy(c.machine, needs);
      if (!fits) continue;
      Match match = with_warps(c, block, *fits);
      if (!shape.cooperates()) match.factor /= 1 - idle_lanes(c.block);
      if (const std::optional<double> faster = with_fewer_blocks(c, block)) {
        match.estimator = Estimator::kGiven;
        match.speedup = *faster;
      }
      match.where = shape.longest().instruction;
      match.hint =
          fmt::format("{} Then launch blocks of {} threads: an SM holds {}.",
                      shape.what_must_change(), block.total(), count_of(fits->warps, "warp"));
      match.check = shape_options(grid_of(c, block), block);
      matches.push_back(std::move(match));
    }
    return matches;
  }

  // The grid that has as many threads with blocks of this shape.
  static launch::Dims grid_of(const Case& c, const launch::Dims& block) {
    const auto side = [](std::uint32_t blocks, std::uint32_t threads, std::uint32_t larger) {
      const std::uint64_t all = std::uint64_t{blocks} * threads;
      return static_cast<std::uint32_t>((all + larger - 1) / larger);
    };
    return {side(c.grid.x, c.block.x, block.x), side(c.grid.y, c.block.y, block.y),
            side(c.grid.z, c.block.z, block.z)};
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
    if (limited_by_blocks(c)) {
      match.text = fmt::format(
          "Blocks of {}: an SM holds at most {} of them, which are {} of its {:.0f} warps.",
          count_of(c.block.total(), "thread"), c.occupancy.blocks, c.occupancy.warps,
          c.machine.limit.warps);
    } else {
      match.text = fmt::format("Blocks of {} leave {:.0f} % of the lanes in their warps idle.",
                               count_of(c.block.total(), "thread"), 100 * idle_lanes(c.block));
    }
    return match;
  }
};

}  // namespace

const Rule* thread_increase() {
  static const ThreadIncrease rule;
  return &rule;
}

}  // namespace burin::advise
