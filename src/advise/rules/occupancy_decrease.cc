// Too many resident blocks per SM: they evict each other's lines from the L1 cache, and fewer
// resident blocks would be faster.
//
// Only emulation can show this. Replays with fewer blocks per SM find how many; then the launch
// that is advised is emulated: the shared memory that keeps other blocks away is taken from the L1
// cache.
#include <algorithm>
#include <cmath>
#include <optional>
#include <span>

#include "advise/case/estimate.h"
#include "advise/case/requests.h"
#include "advise/patterns/mapping/strided_loops.h"
#include "advise/rules/all.h"
#include "base/format.h"
#include "base/text.h"
#include "machine/occupancy.h"
#include "read/isa/traits.h"

namespace burin::advise {

namespace {

constexpr double kMaxHits = 0.9;   // L1 hit rate above which nothing can be gained
constexpr double kMinWaits = 0.1;  // of the time, waiting for global memory or in its queue
constexpr double kMinMoreHits = 0.01;

class OccupancyDecrease final : public Rule {
  std::string_view id() const override { return "occupancy-decrease"; }
  std::string_view summary() const override {
    return "more resident blocks than the L1 cache can serve";
  }
  bool needs_launch_shape() const override { return true; }

  std::vector<Match> match(const Case& c) const override {
    if (c.study == nullptr || c.study->traced().resident < 2) return {};
    const timing::Prediction& base = c.study->base();
    if (base.l1_hit_rate > kMaxHits || l1_misses(base) <= 0) return {};
    Match match;
    match.stalls = stalls_where(c, [](const BlamedStall& s) {
      return s.dependency == Dependency::kGlobalMemory || s.stall == launch::Stall::kNotSelected ||
             s.stall == launch::Stall::kLgThrottle;
    });
    if (match.stalls.empty() || share_of(c, match.stalls) < kMinWaits) return {};
    if (!loads_again(c)) return {};
    const std::uint64_t now = c.study->traced().resident;
    timing::Prediction best;
    std::uint64_t residents = 0;
    // Half and a quarter of the blocks; even fewer only as long as the time improves.
    for (std::uint64_t n = now / 2; n >= 1; n /= 4) {
      const std::vector<std::uint64_t> fewer{n, std::max<std::uint64_t>(1, n / 2)};
      const std::size_t count = n > 1 ? 2 : 1;
      std::vector<timing::Prediction> times =
          c.study->with_residents(std::span(fewer).first(count));
      const auto fastest = std::ranges::min_element(times, {}, &timing::Prediction::time_us);
      if (residents != 0 && fastest->time_us >= best.time_us) break;
      residents = fewer[static_cast<std::size_t>(fastest - times.begin())];
      best = std::move(*fastest);
      if (best.time_us >= base.time_us) break;
    }
    // A gain without more hits has another cause than this rule's.
    const auto gains = [&](const timing::Prediction& p) {
      return p.time_us < base.time_us && p.l1_hit_rate >= base.l1_hit_rate + kMinMoreHits;
    };
    if (residents == 0 || !gains(best)) return {};
    std::optional<Limited> limited;
    const auto attempt = [&](std::optional<Limited> tried) {
      if (!tried || !gains(tried->prediction)) return;
      if (!limited || tried->prediction.time_us < limited->prediction.time_us) {
        limited = std::move(tried);
      }
    };
    for (std::uint64_t n = residents; n < now && n <= 2 * residents; n *= 2) {
      attempt(with_shared(c, n));
      attempt(with_grid(c, n));
    }
    if (!limited) return {};
    const timing::Prediction& then = limited->prediction;
    match.estimator = Estimator::kGiven;
    match.speedup = base.time_us / then.time_us;
    match.emulated = match.speedup;
    match.complete = true;
    match.relieves = {machine::Resource::kL1, machine::Resource::kL2, machine::Resource::kDram,
                      machine::Resource::kLsu};
    match.text = fmt::format(
        "{} per SM share the L1 cache: hit rate {:.0f} %. With {} the hit rate is {:.0f} %{}.",
        count_of(now, "resident block"), 100 * base.l1_hit_rate, count_of(limited->blocks, "block"),
        100 * then.l1_hit_rate,
        limited->grid
            ? ""
            : fmt::format(", although the shared memory that keeps the others away leaves {} KB "
                          "of it",
                          then.occupancy.l1 / 1024));
    describe(c, *limited, match);
    return {std::move(match)};
  }

  // A launch of which an SM holds fewer blocks.
  struct Limited {
    std::uint64_t blocks = 0;            // resident, per SM
    std::uint64_t dynamic = 0;           // bytes of dynamic shared memory
    std::optional<launch::Dims> grid{};  // the new one; empty: shared memory limits the blocks
    timing::Prediction prediction{};
  };

  static void describe(const Case& c, const Limited& limited, Match& match) {
    const std::string blocks = count_of(limited.blocks, "resident block");
    if (limited.grid) {
      match.hint = fmt::format(
          "Limit the SM to {}: the kernel's loop over the grid lets each block do the work of "
          "several.",
          blocks);
      launch_grid(c, *limited.grid, match);
      return;
    }
    match.hint = fmt::format(
        "Limit the SM to {}: launch with {} bytes of dynamic shared memory, of which the kernel "
        "needs {}.{}",
        blocks, with_commas(limited.dynamic), with_commas(c.study->launch().shared_bytes),
        limited.dynamic + static_shared(c) > kStaticShared
            ? " More than 48 KB need cudaFuncAttributeMaxDynamicSharedMemorySize."
            : "");
    match.check = fmt::format("{} --smem {}", shape_options(c.grid, c.block), limited.dynamic);
  }

  // Fewer blocks in all, for a kernel that loops over the grid along its only axis.
  static std::optional<Limited> with_grid(const Case& c, std::uint64_t blocks) {
    const std::uint32_t axis = grid_stride_axis(c);
    if (axis == read::kNoIndex || c.grid.y * c.grid.z != 1 || axis != 0) return std::nullopt;
    launch::Dims grid = c.grid;
    grid.x = static_cast<std::uint32_t>(static_cast<double>(blocks) * c.machine.sm.count);
    if (grid.x >= c.grid.x) return std::nullopt;
    Match launched;
    launched.launch = c.study->launch();
    launched.launch->grid = grid;
    std::optional<timing::Prediction> prediction = predict_match(c, launched);
    if (!prediction) return std::nullopt;
    return Limited{.blocks = blocks, .grid = grid, .prediction = std::move(*prediction)};
  }

  static std::uint64_t static_shared(const Case& c) {
    return c.needs.shared - std::min(c.needs.shared, c.study->launch().shared_bytes);
  }

  // The same grid with so much dynamic shared memory.
  static std::optional<Limited> with_shared(const Case& c, std::uint64_t blocks) {
    const auto& limit = c.machine.limit;
    const double granule = std::max(1.0, limit.shared_granule);
    const double too_little = limit.shared / static_cast<double>(blocks + 1);
    const double all = (std::floor(too_little / granule) + 1) * granule - limit.shared_reserved;
    machine::KernelNeeds needs = c.needs;
    needs.shared = static_cast<std::uint64_t>(std::max(0.0, all));
    if (needs.shared <= c.needs.shared || all > limit.shared_per_block) return std::nullopt;
    const Result<machine::Occupancy> then = machine::occupancy(c.machine, needs);
    if (!then || then->blocks != blocks) return std::nullopt;
    Limited limited{.blocks = blocks, .dynamic = needs.shared - static_shared(c)};
    Match launched;
    launched.launch = c.study->launch();
    launched.launch->shared_bytes = limited.dynamic;
    std::optional<timing::Prediction> prediction = predict_match(c, launched);
    if (!prediction) return std::nullopt;
    limited.prediction = std::move(*prediction);
    return limited;
  }

  // Whether a block's loads miss sectors that the block has loaded before: only those can become
  // hits.
  static bool loads_again(const Case& c) {
    const Requests requests(*c.study);
    read::InstructionSet loads(c.size());
    double asked = 0;
    double missed = 0;
    for (std::uint32_t i = 0; i < c.size(); ++i) {
      const bool load = touches_global(c.at(i)) && c.at(i).opcode->loads && c.executed(i);
      if (!load || read::is_atomic(c.at(i))) continue;
      loads[i] = 1;
      const timing::InstructionCost& cost = c.study->base().costs[i];
      asked += cost.sectors;
      missed += cost.sectors - cost.l1_hits;
    }
    return missed * requests.reuse(loads) > (1 + kMinMoreHits) * asked;
  }

  static double l1_misses(const timing::Prediction& p) {
    double misses = 0;
    for (const timing::InstructionCost& cost : p.costs) misses += cost.sectors - cost.l1_hits;
    return misses;
  }
};

}  // namespace

const Rule* occupancy_decrease() {
  static const OccupancyDecrease rule;
  return &rule;
}

}  // namespace burin::advise
