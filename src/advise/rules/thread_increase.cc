// Blocks so small that an SM is full of blocks before it is full of warps, or that leave lanes of
// their warps idle.
//
// The work of a scheduler stays the same while more warps share it, so factor f undoes C_W; where
// lanes were idle, it counts the warps that are saved.
#include <algorithm>
#include <cmath>

#include "advise/case/estimate.h"
#include "advise/case/trust.h"
#include "advise/rules/all.h"
#include "base/format.h"

namespace burin::advise {

namespace {

constexpr std::uint64_t kMaxThreads = 512;
constexpr double kIdleLanes = 0.2;  // of the lanes
constexpr double kBetter = 1.01;    // times as fast: worth a larger block

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

// Whether threads along y do different things: else more of them would do the same.
bool reads_thread_y(const read::Kernel& kernel) {
  return std::ranges::any_of(kernel.instructions, [](const read::Instruction& i) {
    return std::ranges::any_of(i.operands(), [](const read::Operand& o) {
      return o.kind == read::Operand::Kind::kSpecial && o.suffix == "SR_TID.Y";
    });
  });
}

class ThreadIncrease final : public Rule {
  std::string_view id() const override { return "thread-increase"; }
  std::string_view summary() const override { return "occupancy limited by small blocks"; }
  bool needs_launch_shape() const override { return true; }

  std::vector<Match> match(const Case& c) const override {
    if (c.kernel.function->required_block) return {};
    if (!limited_by_blocks(c) && idle_lanes(c.block) < kIdleLanes) return {};
    // The best of them; the emulator tells, or else the equations.
    const bool believed = belief_in_emulation(c).yes;
    std::optional<Match> best;
    double most = 1;
    for (const launch::Dims& block : larger_blocks(c, believed)) {
      machine::KernelNeeds needs = c.needs;
      needs.threads = block.total();
      const Result<machine::Occupancy> fits = machine::occupancy(c.machine, needs);
      if (!fits) continue;
      Match match = with_block(c, block, *fits, believed);
      const double speedup = believed && match.emulated ? *match.emulated : estimate(c, match);
      // By the equations a larger block is never worse: the smallest of the best is enough.
      if (speedup <= most * (believed ? 1 : kBetter)) continue;
      most = speedup;
      best = std::move(match);
    }
    if (!best) return {};
    return {std::move(*best)};
  }

  // Of twice, four times … the threads; where the grid has two sides and the kernel asks for both
  // coordinates, along either, since only the emulator knows what that does to the caches.
  static std::vector<launch::Dims> larger_blocks(const Case& c, bool believed) {
    std::vector<launch::Dims> blocks;
    const auto grow = [&](bool upwards) {
      for (launch::Dims block = c.block; block.total() * 2 <= kMaxThreads;) {
        (upwards ? block.y : block.x) *= 2;
        blocks.push_back(block);
      }
    };
    grow(c.block.x * 2 <= c.block.y);
    const bool square = c.grid.y > 1 && reads_thread_y(c.kernel);
    if (believed && square && c.block.total() % 32 == 0) grow(c.block.x * 2 > c.block.y);
    return blocks;
  }

  static Match with_block(const Case& c, const launch::Dims& block, const machine::Occupancy& fits,
                          bool believed) {
    Match match;
    match.estimator = Estimator::kParallel;
    const auto threads = static_cast<double>(c.grid.total() * c.block.total());
    const double of_grid =
        std::ceil(threads / static_cast<double>(block.total()) / c.machine.sm.count);
    match.warps = std::min(of_grid, static_cast<double>(fits.blocks)) * block_warps(block) /
                  c.machine.sm.schedulers;
    match.factor = match.warps / warps_per_scheduler(c) / (1 - idle_lanes(c.block));
    if (c.kernel.function->shared_bytes == 0) {
      match.what_if = fmt::format("block={},{},{}", block.x, block.y, block.z);
      if (believed) match.emulated = reshaped(c, match);
    }
    if (limited_by_blocks(c)) {
      match.text = fmt::format(
          "Blocks of {} threads: an SM holds at most {} blocks, which are {} of its {:.0f} warps.",
          c.block.total(), c.occupancy.blocks, c.occupancy.warps, c.machine.limit.warps);
    } else {
      match.text =
          fmt::format("Blocks of {} threads leave {:.0f} % of the lanes in their warps idle.",
                      c.block.total(), 100 * idle_lanes(c.block));
    }
    match.hint = fmt::format("Launch blocks of {} threads ({}): an SM then holds {} warps.",
                             block.total(), launch::to_string(block), fits.warps);
    return match;
  }
};

}  // namespace

const Rule* thread_increase() {
  static const ThreadIncrease rule;
  return &rule;
}

}  // namespace burin::advise
