#include "model/saturate/ladder.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace burin::model {

std::optional<double> ladder_start(std::span<const std::vector<SizeSample>> samples,
                                   std::span<const Saturation> found,
                                   const LadderOptions& options) {
  std::optional<double> start;
  for (std::size_t c = 0; c < found.size(); ++c) {
    std::optional<double> own;
    if (found[c].share.empty()) return std::nullopt;
    for (std::size_t i = samples[c].size(); i-- > 0;) {
      if (!found[c].in_regime[i] || found[c].share[i] < options.start_share) break;
      own = samples[c][i].size;
    }
    if (!own) return std::nullopt;
    start = start ? std::max(*start, *own) : own;
  }
  return start;
}

std::vector<Rung> plan_ladder(std::span<const double> work, std::size_t start,
                              std::size_t configurations, const LadderOptions& options) {
  std::vector<Rung> rungs;
  if (work.empty() || start >= work.size()) return rungs;
  for (std::size_t i = start; i < work.size(); ++i) {
    const auto share = static_cast<std::size_t>(
        std::ceil(static_cast<double>(configurations) * work[start] / work[i] - 1e-9));
    const std::size_t kept = std::min(configurations, std::max(share, options.finalists));
    // A rung that lets everybody pass tells nothing; the target is always one.
    if (i > start && i + 1 < work.size() && kept == rungs.back().configurations) continue;
    rungs.push_back({.size = i, .configurations = kept});
  }
  return rungs;
}

double projected_time_us(const Climb& climb, double target_work) {
  if (climb.rungs.empty()) return std::numeric_limits<double>::infinity();
  const SizeSample& last = climb.rungs.back();
  if (climb.rungs.size() > 1) {
    const std::optional<Fit> fit = fit_times(std::span(climb.rungs).last(2));
    if (fit) {
      // The fit of two points passes through both, unless the overhead were negative.
      return last.time_us + fit->time_us_at(target_work) - fit->time_us_at(last.work);
    }
  }
  return last.time_us * target_work / last.work;
}

std::vector<std::size_t> choose_survivors(std::span<const Climb> climbs, double target_work,
                                          std::size_t count) {
  std::vector<double> times;
  for (const Climb& climb : climbs) times.push_back(projected_time_us(climb, target_work));
  std::vector<std::size_t> order(climbs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::erase_if(order, [&](std::size_t i) { return !std::isfinite(times[i]); });
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return times[i]; });
  order.resize(std::min(order.size(), count));
  return order;
}

}  // namespace burin::model
