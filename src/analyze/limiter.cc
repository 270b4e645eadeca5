#include "analyze/limiter.h"

#include <algorithm>

namespace burin::analyze {

namespace {

constexpr double kSaturated = 0.9;  // lower bound of a unit over the predicted time
constexpr double kMinShare = 0.15;  // a smaller share is no bottleneck

}  // namespace

Limits limits(const Study& study, const SensitivityOptions& options) {
  Limits found;
  found.rows = sensitivities(study, options);
  found.bounds = bounds(study);
  choose_limiters(study.base().time_us, found);
  return found;
}

void choose_limiters(double time_us, Limits& limits) {
  limits.limiters.clear();
  limits.saturated = false;
  for (const Bound& bound : limits.bounds) {
    if (bound.time_us < kSaturated * time_us) break;  // largest first
    const auto unit = std::ranges::find_if(limits.rows, [&](const Sensitivity& row) {
      return row.mode == Mode::kThroughput && machine::name(row.resource) == bound.name;
    });
    if (unit == limits.rows.end()) continue;  // not a unit's bound: the chain, the tail
    limits.saturated = true;
    limits.bound_share = bound.time_us / time_us;
    limits.limiters.push_back(static_cast<std::size_t>(unit - limits.rows.begin()));
    return;
  }
  if (limits.rows.empty() || limits.rows[0].share < kMinShare) return;
  for (std::size_t k = 0; k < near_ties(limits.rows); ++k) limits.limiters.push_back(k);
}

}  // namespace burin::analyze
