// Blocks with unequal work: the SM with the most work determines when the launch ends.
//
// If each block is split into k parts, the excess of the busiest SM over the mean shrinks to a
// k-th. k is the trip count of the block's outermost loop, if known.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "advise/case/source_text.h"
#include "advise/patterns/code/idle_lanes.h"
#include "advise/patterns/mapping/strided_loops.h"
#include "advise/patterns/mapping/uneven_blocks.h"
#include "advise/rules/all.h"
#include "analyze/bounds/bounds.h"
#include "base/format.h"
#include "base/text.h"
#include "emulate/values/lanes.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kMinSpread = 1.05;
constexpr double kParts = 4;  // if no loop determines it
constexpr std::uint64_t kMaxDealt = 100'000;

class SmBalance final : public Rule {
  std::string_view id() const override { return "sm-balance"; }
  std::string_view summary() const override { return "work imbalance between SMs"; }
  bool needs_launch_shape() const override { return true; }

  std::vector<Match> match(const Case& c) const override {
    if (c.study == nullptr || c.study->traced().works.even()) return {};
    if (c.grid.total() > kMaxDealt) return {};
    const std::vector<double> works = works_of(c);
    const std::vector<double> loads = loads_of(c, works);
    const double uneven = ratio_of(loads, static_cast<double>(c.grid.total()));
    if (uneven < kMinSpread) return {};
    const UnevenBlocks why = uneven_blocks(c);
    const bool at_once = c.study->base().waves <= 1;
    double then = 1 + (uneven - 1) / parts_of(c);
    if (why.idle > 0) {
      std::vector<double> active = works;
      std::erase_if(active, [&](double steps) { return why.is_idle(steps); });
      then = ratio_of(loads_of(c, active), static_cast<double>(active.size()));
    } else if (at_once && why.items == read::kNoIndex) {
      // Only warps can be exchanged between blocks that run at the same time.
      const double warps = std::ceil(static_cast<double>(c.block.total()) / emulate::kWarpLanes);
      const double parts = std::min(kParts, warps);
      if (parts < 2 || has_barrier(c)) return {};
      then = 1 + (uneven - 1) / parts;
    }
    Match match;
    match.estimator = Estimator::kGiven;
    match.speedup = speedup_of(c, then / uneven, why.items != read::kNoIndex);
    match.evens_sms = true;
    match.text = fmt::format(
        "{}: the most loaded SM executes {:.2f} times the mean of the SMs with work, which end "
        "earlier and idle.",
        cause_text(c, why), uneven);
    describe(c, why, match);
    return {std::move(match)};
  }

  // The speedup if the work of the busiest SM shrinks to this fraction. Blocks that have several
  // items shrink with it. Otherwise the longest block stays as it is; and if all blocks are
  // resident at once, warps wait as long for their own results on an SM with less work: only waits
  // for units that other warps occupy become shorter.
  static double speedup_of(const Case& c, double left, bool several_items) {
    const timing::Prediction& base = c.study->base();
    const double fixed = base.launch_cycles / base.cycles;
    const double shrinks = base.waves > 1 || several_items ? 1 : contended_share(c);
    const double time_us = base.time_us * (1 - (1 - fixed) * shrinks * (1 - left));
    double chain_us = 0;
    for (const analyze::Bound& bound : analyze::bounds(*c.study)) {
      if (bound.name == "chain") chain_us = bound.time_us * (several_items ? left : 1);
    }
    return base.time_us / std::max(time_us, chain_us);
  }

  // The fraction of warp time for which warps wait because other warps of the SM occupy a unit.
  static double contended_share(const Case& c) {
    constexpr std::array kOfOthers = {launch::Stall::kMathPipeThrottle, launch::Stall::kMioThrottle,
                                      launch::Stall::kLgThrottle, launch::Stall::kNotSelected,
                                      launch::Stall::kDispatch};
    double waited = 0;
    for (const BlamedStall& s : c.blamed.stalls) {
      if (std::ranges::find(kOfOthers, s.stall) != kOfOthers.end()) waited += s.cycles.sum();
    }
    return c.blamed.total > 0 ? waited / c.blamed.total : 0;
  }

  static std::string cause_text(const Case& c, const UnevenBlocks& why) {
    if (why.idle > 0) {
      return fmt::format(
          "{} of {} blocks return at once at {}, and SMs have unequal numbers of the "
          "others",
          with_commas(why.idle), with_commas(c.grid.total()), place_name(c.kernel, why.exit));
    }
    if (why.loop != read::kNoIndex) {
      const std::string how =
          why.most <= 0    ? std::string("runs different numbers of iterations")
          : why.fewest > 0 ? fmt::format(
                                 "runs up to {:.1f} times as many iterations in some of the traced "
                                 "blocks as in others",
                                 why.most / why.fewest)
                           : std::string("is skipped by some of the traced blocks");
      return fmt::format("Blocks have unequal work, since the {} {}", loop_name(c, why.loop), how);
    }
    return "Blocks have unequal work";
  }

  static void describe(const Case& c, const UnevenBlocks& why, Match& match) {
    if (why.idle > 0) {
      match.where = why.exit;
      const std::uint64_t busy = c.grid.total() - why.idle;
      const std::string larger = why.below ? "blockIdx.y" : "blockIdx.x";
      const std::string smaller = why.below ? "blockIdx.x" : "blockIdx.y";
      match.hint = fmt::format("Launch the {} blocks with work only, as a grid of dim3({}, 1, 1), ",
                               with_commas(busy), busy);
      match.hint +=
          why.triangle
              ? fmt::format(
                    "numbered along the triangle: with k = blockIdx.x, r = (int)((sqrtf(8.0f * k + "
                    "1.0f) - 1.0f) / 2.0f), which is corrected by 1 where r * (r + 1) / 2 > k or "
                    "(r "
                    "+ 1) * (r + 2) / 2 <= k, replaces {}{}, and k - r * (r + 1) / 2 replaces {}.",
                    larger, why.diagonal ? "" : " - 1", smaller)
              : "numbered consecutively: each block finds its part of the work by a formula, or in "
                "an array of the parts with work that the host or an earlier kernel fills.";
      match.check = shape_options({static_cast<std::uint32_t>(busy), 1, 1}, c.block);
      return;
    }
    if (why.loop != read::kNoIndex) match.where = head_of_loop(c, why.loop);
    const bool planar = c.grid.y > 1 || c.grid.z > 1;
    const std::string number =
        planar ? fmt::format("n = blockIdx.x + gridDim.x * {}",
                             c.grid.z > 1 ? "(blockIdx.y + gridDim.y * blockIdx.z)" : "blockIdx.y")
               : std::string("n = blockIdx.x");
    if (why.items != read::kNoIndex) {
      match.hint = fmt::format(
          "Each block takes several items of unequal work, in the {}. Deal them out: item "
          "blockIdx.x + k * gridDim.x for block blockIdx.x, k = 0, 1, …, instead of adjacent "
          "items, "
          "or each next item from an atomic work counter.",
          loop_name(c, why.items));
      match.check = shape_options(c.grid, c.block);
      return;
    }
    match.hint =
        c.study->base().waves > 1
            ? fmt::format(
                  "Distribute smaller work items, the largest first, or let as many blocks as are "
                  "resident take item after item from an atomic work counter. Items are numbered "
                  "{}.",
                  number)
            : mixed_hint(c, number);
    match.check = shape_options(c.grid, c.block);
  }

  static std::string mixed_hint(const Case& c, const std::string& number) {
    const auto warps = (c.block.total() + emulate::kWarpLanes - 1) / emulate::kWarpLanes;
    const auto parts = std::min(static_cast<std::uint64_t>(kParts), warps);
    const std::uint64_t apart = (c.grid.total() + parts - 1) / parts;
    return fmt::format(
        "All blocks are resident at once, so that starting the largest first changes nothing. Mix "
        "the items instead: of the {} equal groups of a block's warps, group q takes its part of "
        "item (n + q * {}) % {} instead of item n, where {} is the block's number.",
        parts, apart, c.grid.total(), number);
  }

  static std::vector<double> works_of(const Case& c) {
    std::vector<double> works;
    for (std::uint64_t b = 0; b < c.grid.total(); ++b) {
      works.push_back(c.study->traced().works.of(b).steps);
    }
    return works;
  }

  // Instructions of each SM: blocks are assigned in order, then to the SM that finishes first.
  static std::vector<double> loads_of(const Case& c, const std::vector<double>& works) {
    const auto sms = static_cast<std::size_t>(c.machine.sm.count);
    std::vector<double> loads(sms);
    for (std::size_t b = 0; b < works.size(); ++b) {
      const bool first = b < sms * c.study->traced().resident;
      double& load = first ? loads[b % sms] : *std::ranges::min_element(loads);
      load += works[b];
    }
    return loads;
  }

  // The busiest SM over the mean. SMs without a block are block-increase's.
  static double ratio_of(const std::vector<double>& loads, double blocks) {
    const double busy = std::min(static_cast<double>(loads.size()), blocks);
    const double mean = std::reduce(loads.begin(), loads.end()) / busy;
    return mean > 0 ? std::ranges::max(loads) / mean : 1;
  }

  static bool has_barrier(const Case& c) {
    return std::ranges::any_of(c.kernel.instructions, [](const read::Instruction& i) {
      return read::sync_of(i) == read::Sync::kBlockBarrier;
    });
  }

  // Iterations per entry of the outermost loop with the most work.
  static double parts_of(const Case& c) {
    double most = 0;
    double rounds = kParts;
    for (const read::Loop& loop : c.kernel.loops) {
      if (loop.parent != read::kNoIndex) continue;
      double work = 0;
      for (const std::uint32_t b : loop.blocks) work += c.blamed.issued[c.kernel.blocks[b].first];
      if (work <= most) continue;
      most = work;
      rounds = rounds_of(c, loop);
    }
    return rounds > 1.5 ? rounds : kParts;
  }
};

}  // namespace

const Rule* sm_balance() {
  static const SmBalance rule;
  return &rule;
}

}  // namespace burin::advise
