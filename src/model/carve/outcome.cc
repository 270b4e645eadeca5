#include "model/carve/outcome.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "model/carve/random_sample.h"

namespace burin::model {

Outcome judge(std::span<const std::size_t> kept, std::span<const double> times_us,
              std::span<const double> costs) {
  const RandomSample random({times_us.begin(), times_us.end()});
  Outcome outcome{.kept = kept.size()};
  outcome.pruned = 1 - static_cast<double>(kept.size()) / static_cast<double>(times_us.size());
  double best = std::numeric_limits<double>::infinity();
  for (std::size_t place = 0; place < kept.size(); ++place) {
    if (times_us[kept[place]] < best) {
      best = times_us[kept[place]];
      outcome.best = kept[place];
    }
    const double share = random.best_us() / best;
    if (outcome.picks_to_90 == 0 && share >= 0.90) outcome.picks_to_90 = place + 1;
    if (outcome.picks_to_95 == 0 && share >= 0.95) outcome.picks_to_95 = place + 1;
  }
  if (outcome.best) {
    outcome.best_us = best;
    outcome.share_of_best = random.best_us() / best;
    outcome.percentile = random.percentile(kept.size(), best);
  }
  outcome.random_share = random.expected(kept.size());
  outcome.random_to_90 = random.needed(0.90);
  outcome.random_to_95 = random.needed(0.95);
  if (!costs.empty()) {
    const double all = std::accumulate(costs.begin(), costs.end(), 0.0);
    double spent = 0;
    for (const std::size_t i : kept) spent += costs[i];
    if (all > 0) outcome.cost_saved = 1 - spent / all;
  }
  return outcome;
}

}  // namespace burin::model
