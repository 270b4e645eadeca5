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

std::vector<double> times_over_sizes(std::span<const SizeSample> sizes,
                                     std::span<const SizeSample> measured,
                                     const std::optional<Fit>& fit) {
  std::vector<double> times;
  for (const SizeSample& size : sizes) {
    const auto known = std::ranges::find(measured, size.size, &SizeSample::size);
    if (known != measured.end()) {
      times.push_back(known->time_us);
    } else if (fit) {
      times.push_back(fit->time_us_at(size.work));
    } else if (!measured.empty()) {
      times.push_back(measured.back().time_us * size.work / measured.back().work);
    } else {
      times.push_back(size.work);
    }
  }
  return times;
}

std::vector<Rung> plan_ladder(std::span<const double> time_us, std::size_t start,
                              std::size_t configurations, const LadderOptions& options) {
  std::vector<Rung> rungs;
  if (time_us.empty() || start >= time_us.size()) return rungs;
  for (std::size_t i = time_us.size(); i-- > start;) {
    if (rungs.empty() || time_us[i] * options.step <= time_us[rungs.back().size]) {
      rungs.push_back({.size = i});
    }
  }
  std::ranges::reverse(rungs);
  for (Rung& rung : rungs) {
    const double share = time_us[rungs.front().size] / time_us[rung.size];
    const auto kept =
        static_cast<std::size_t>(std::ceil(static_cast<double>(configurations) * share - 1e-9));
    rung.configurations = std::min(configurations, std::max(kept, options.finalists));
  }
  return rungs;
}

double projected_time_us(const Climb& climb, double target_work) {
  if (climb.rungs.empty()) return std::numeric_limits<double>::infinity();
  const SizeSample& last = climb.rungs.back();
  const double in_proportion = last.time_us * target_work / last.work;
  if (climb.rungs.size() < 2) return in_proportion;
  const SizeSample& before = climb.rungs[climb.rungs.size() - 2];
  const double slope = std::max(0.0, (last.time_us - before.time_us) / (last.work - before.work));
  // Times that grow faster than the work leave no overhead: the last rung says more.
  if (last.time_us < slope * last.work) return in_proportion;
  return last.time_us + slope * (target_work - last.work);
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
