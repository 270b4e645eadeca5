// Blocks so small that an SM is full of blocks before it is full of warps, or that leave lanes of
// their warps idle.
//
// The work of a scheduler stays the same while more warps share it, so factor f undoes C_W; where
// lanes were idle, it counts the warps that are saved.
#include <algorithm>
#include <cmath>

#include "advise/estimate.h"
#include "advise/rules/all.h"
#include "base/format.h"

namespace burin {

namespace {

constexpr std::uint64_t kMostThreads = 256;

double block_warps(const Dims& block) {
  return std::ceil(static_cast<double>(block.total()) / 32);
}

class ThreadIncrease final : public Rule {
  std::string_view id() const override { return "thread-increase"; }
  std::string_view summary() const override { return "occupancy limited by small blocks"; }

  std::vector<Match> match(const Case& c) const override {
    if (c.kernel.function->required_block) return {};
    const bool full = static_cast<double>(c.grid.total()) >=
                      c.machine.sm.count * static_cast<double>(c.occupancy.blocks);
    const std::vector<std::string_view> limiters = c.occupancy.limiters();
    const bool limited = full && std::ranges::find(limiters, "blocks") != limiters.end() &&
                         static_cast<double>(c.occupancy.warps) < c.machine.limit.warps;
    const double idle = 1 - static_cast<double>(c.block.total()) / (32 * block_warps(c.block));
    if (!limited && idle < 0.2) return {};

    Dims block = c.block;
    Occupancy best = c.occupancy;
    while (block.total() * 2 <= kMostThreads) {
      Dims next = block;
      (next.x * 2 <= next.y ? next.y : next.x) *= 2;
      KernelNeeds needs = c.needs;
      needs.threads = next.total();
      const Result<Occupancy> found = occupancy(c.machine, needs);
      if (!found || (found->warps <= best.warps && next.total() > 64)) break;
      block = next;
      best = *found;
    }
    if (block == c.block) return {};

    Match match;
    match.estimator = Estimator::kParallel;
    const double old_warps = warps_per_scheduler(c);
    const double threads = static_cast<double>(c.grid.total() * c.block.total());
    const double of_grid =
        std::ceil(threads / static_cast<double>(block.total()) / c.machine.sm.count);
    match.warps = std::min(of_grid, static_cast<double>(best.blocks)) * block_warps(block) /
                  c.machine.sm.schedulers;
    const double fewer = (1 - idle) > 0 ? 1 / (1 - idle) : 1;
    match.factor = match.warps / old_warps * fewer;
    if (c.kernel.function->shared_bytes == 0) {
      match.what_if = fmt::format("block={},{},{}", block.x, block.y, block.z);
    }
    if (limited) {
      match.text = fmt::format(
          "Blocks of {} threads: an SM holds {} blocks at most, so {} of its {:.0f} warps.",
          c.block.total(), c.occupancy.blocks, c.occupancy.warps, c.machine.limit.warps);
    } else {
      match.text = fmt::format(
          "Blocks of {} threads leave {:.0f} % of the lanes of their warps "
          "idle.",
          c.block.total(), 100 * idle);
    }
    match.hint = fmt::format("Launch blocks of {} threads ({}): an SM then holds {} warps.",
                             block.total(), to_string(block), best.warps);
    return {std::move(match)};
  }
};

}  // namespace

const Rule* thread_increase() {
  static const ThreadIncrease rule;
  return &rule;
}

}  // namespace burin
