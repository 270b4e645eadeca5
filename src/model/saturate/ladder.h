// A search that climbs problem sizes: every configuration is tried at a small size, the best of
// them at a larger one, and so on up to the target. A size that takes 4 times as long keeps a
// quarter of the configurations, so that no rung costs more than the first.
//
//   plan_ladder(time_us, 1, 117, {})      {{1, 117}, {3, 22}, {5, 3}}: size and configurations
//
// The paper's method is the ladder of one rung, the saturation point, without the target. Rankings
// at a size that fills a fifth of the device are good enough to drop the worst configurations, not
// to choose the best one. The constants were chosen on the tuning part of bench/saturation.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "model/saturate/saturation.h"

namespace burin::model {

struct LadderOptions {
  double start_share = 0.2;   // of the plateau, that the first rung must reach at least
  double step = 3;            // a rung takes at least so many times as long as the one below
  std::size_t finalists = 5;  // at least so many reach the target
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

// The time of one configuration at all sizes, some of which were measured: the others are those of
// the fit, or proportional to the work.
std::vector<double> times_over_sizes(std::span<const SizeSample> sizes,
                                     std::span<const SizeSample> measured,
                                     const std::optional<Fit>& fit);

// `time_us` of one configuration at all sizes, ascending; the last one is the target, and always a
// rung. The first rung, at size `start` or the next one that is `step` below another, measures all
// configurations.
std::vector<Rung> plan_ladder(std::span<const double> time_us, std::size_t start,
                              std::size_t configurations, const LadderOptions& options);

// The times of a configuration at the rungs so far, ascending in work.
struct Climb {
  std::vector<SizeSample> rungs{};  // work and time_us; empty: it failed
};

// The time at `target_work`, on the line through the last two rungs; in proportion to the work if
// there is one rung, or if the line has a negative overhead. Infinite if it failed.
double projected_time_us(const Climb& climb, double target_work);

// Indices of the `count` configurations with the least projected time, best first.
std::vector<std::size_t> choose_survivors(std::span<const Climb> climbs, double target_work,
                                          std::size_t count);

}  // namespace burin::model
