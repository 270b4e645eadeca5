// How good a selection of configurations is, where the times of all are known: recorded, predicted,
// or estimated by the metrics.
//
//   Outcome outcome = judge(kept, times_us, costs);
//   outcome.share_of_best      0.992: the best that was kept, as a share of the best performance
//   outcome.random_share       0.951: the expected best of a random sample of the same size
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace burin::model {

struct Outcome {
  std::size_t kept = 0;
  double pruned = 0;                  // share of the space
  std::optional<std::size_t> best{};  // of those kept; none: all of them failed
  double best_us = 0;
  double share_of_best = 0;
  double random_share = 0;      // expected, for a random sample of the same size
  double percentile = 0;        // share of random samples of that size whose best is worse
  std::size_t picks_to_90 = 0;  // tried in order, until 90 % of the best performance; 0: never
  std::size_t picks_to_95 = 0;
  std::size_t random_to_90 = 0;  // size of a random sample that is expected to reach it
  std::size_t random_to_95 = 0;
  std::optional<double> cost_saved{};  // share of the cost of trying all of them
};

// Infinite times are failures. `costs`: seconds of trying each; may be empty.
Outcome judge(std::span<const std::size_t> kept, std::span<const double> times_us,
              std::span<const double> costs);

}  // namespace burin::model
