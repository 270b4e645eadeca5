// Blocks with unequal work: the SM with the most work determines when the launch ends.
//
// If each block is split into k parts, the excess of the busiest SM over the mean shrinks to a
// k-th. k is the trip count of the block's outermost loop, if known.
#include <algorithm>
#include <numeric>

#include "advise/case/origin.h"
#include "advise/patterns/mapping/strided_loops.h"
#include "advise/rules/all.h"
#include "base/format.h"

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
    const std::vector<double> loads = loads_of(c);
    // SMs without a block are block-increase's.
    const auto busy = static_cast<double>(std::min<std::uint64_t>(loads.size(), c.grid.total()));
    const double mean = std::reduce(loads.begin(), loads.end()) / busy;
    const double uneven = mean > 0 ? std::ranges::max(loads) / mean : 1;
    if (uneven < kMinSpread) return {};
    const double parts = parts_of(c);
    const double then = 1 + (uneven - 1) / parts;
    const timing::Prediction& base = c.study->base();
    const double fixed = base.launch_cycles / base.cycles;
    Match match;
    match.estimator = Estimator::kGiven;
    match.speedup = 1 / (fixed + (1 - fixed) * then / uneven);
    match.evens_sms = true;
    match.text = fmt::format(
        "Blocks have unequal work: the most loaded SM executes {:.2f} times the mean of the SMs "
        "with work, which end earlier and idle.",
        uneven);
    match.where = uneven_loop(c);
    match.hint = fmt::format(
        "Distribute smaller work items: item blockIdx.x + k * gridDim.x for block blockIdx.x, or "
        "an atomic work counter. For large grids, schedule the largest items first.");
    match.check = shape_options(c.grid, c.block);
    return {std::move(match)};
  }

  // Instructions of each SM: blocks are assigned in order, then to the SM that finishes first.
  static std::vector<double> loads_of(const Case& c) {
    const timing::TracedLaunch& traced = c.study->traced();
    const auto sms = static_cast<std::size_t>(c.machine.sm.count);
    std::vector<double> loads(sms);
    for (std::uint64_t b = 0; b < c.grid.total(); ++b) {
      const bool first = b < sms * traced.resident;
      double& load = first ? loads[b % sms] : *std::ranges::min_element(loads);
      load += traced.works.of(b).steps;
    }
    return loads;
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

  // The back edge of the outermost loop whose trip count depends on blockIdx or on loaded values.
  static std::uint32_t uneven_loop(const Case& c) {
    const Origins origins(c.kernel);
    for (const read::Loop& loop : c.kernel.loops) {  // outer ones first
      for (const std::uint32_t latch : loop.latches) {
        const std::uint32_t branch = c.kernel.blocks[latch].last;
        if ((origins.of(branch) & (Origins::kBlock | Origins::kMemory)) != 0) return branch;
      }
    }
    return read::kNoIndex;
  }
};

}  // namespace

const Rule* sm_balance() {
  static const SmBalance rule;
  return &rule;
}

}  // namespace burin::advise
