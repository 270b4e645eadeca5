// Too many resident blocks per SM: they evict each other's lines from the L1 cache, and fewer
// resident blocks would be faster.
//
// Only emulation can show this, by replaying the launch with fewer blocks per SM. Factor f: the
// gain from cache hits, over C_W.
#include <algorithm>
#include <span>

#include "advise/case/requests.h"
#include "advise/rules/all.h"
#include "base/format.h"
#include "base/numbers.h"
#include "base/text.h"
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
    const double gain = base.time_us / best.time_us;
    // A gain without more hits has another cause than this rule's.
    if (!(gain > 1) || best.l1_hit_rate < base.l1_hit_rate + kMinMoreHits) return {};
    match.estimator = Estimator::kGiven;
    match.speedup = gain;
    match.emulated = gain;
    match.relieves = {machine::Resource::kL1, machine::Resource::kL2, machine::Resource::kDram,
                      machine::Resource::kLsu};
    match.text = fmt::format(
        "{} per SM share the L1 cache: hit rate {:.0f} %. With {} the hit rate is {:.0f} %.",
        count_of(now, "resident block"), 100 * base.l1_hit_rate, count_of(residents, "block"),
        100 * best.l1_hit_rate);
    match.hint = fmt::format(
        "Limit the SM to {}: request more dynamic shared memory than needed, or launch {} "
        "persistent blocks that loop over the work.",
        count_of(residents, "resident block"),
        whole(static_cast<double>(residents) * c.machine.sm.count));
    const auto persistent =
        static_cast<std::uint32_t>(static_cast<double>(residents) * c.machine.sm.count);
    match.check = shape_options({persistent, 1, 1}, c.block);
    return {std::move(match)};
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
