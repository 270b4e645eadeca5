// A search that climbs problem sizes: every configuration is tried at a small size, the best of
// them at the next one, and so on up to the target. A size with 4 times the work keeps a quarter of
// the configurations, so that no rung costs more than the first.
//
//   plan_ladder(work, 2, 117, {})      {{2, 117}, {3, 30}, {4, 8}, {5, 3}}: size and configurations
//
// The paper's method is the ladder of one rung, the saturation point, without the target.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "model/saturate/saturation.h"

namespace burin::model {

struct LadderOptions {
  double start_share = 0.5;   // of the plateau, that the first rung must reach at least
  std::size_t finalists = 3;  // at least so many reach the target
};

struct Rung {
  std::size_t size = 0;            // index into the sizes
  std::size_t configurations = 0;  // that are measured there, at most
};

// The size at which the search starts: the smallest in the target's regime from which on the
// throughput of every configuration stays at or above `start_share` of its plateau. None: the
// target. `samples[c]` and `found[c]` belong to configuration c; all have the same sizes.
std::optional<double> ladder_start(std::span<const std::vector<SizeSample>> samples,
                                   std::span<const Saturation> found, const LadderOptions& options);

// `work` of all sizes, ascending; the last one is the target. The first rung measures all
// configurations at size `start`.
std::vector<Rung> plan_ladder(std::span<const double> work, std::size_t start,
                              std::size_t configurations, const LadderOptions& options);

// The times of a configuration at the rungs so far, ascending in work.
struct Climb {
  std::vector<SizeSample> rungs{};  // work and time_us; empty: it failed
};

// The time at `target_work`, by the fit of the last two rungs: what a launch costs beyond its
// overhead. Infinite if it failed.
double projected_time_us(const Climb& climb, double target_work);

// Indices of the `count` configurations with the least projected time, best first.
std::vector<std::size_t> choose_survivors(std::span<const Climb> climbs, double target_work,
                                          std::size_t count);

}  // namespace burin::model
