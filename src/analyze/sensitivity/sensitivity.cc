#include "analyze/sensitivity/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "analyze/sensitivity/potential.h"
#include "analyze/sensitivity/share_sampling.h"

namespace burin::analyze {

namespace {

constexpr double kHardlyUsed = 0.02;  // potential: no change of it is likely to matter
constexpr double kNotUsed = 0.001;    // potential: no change of it can matter
constexpr double kTie = 0.85;         // of the largest share
constexpr double kNamed = 0.1;        // share of a row that may share the first place
// The rows with the largest potential are not screened: the first few, and more if it is large and
// replays are cheap.
constexpr std::size_t kAlone = 3;
constexpr std::size_t kMaxAlone = 6;
constexpr double kLargePotential = 0.3;
constexpr double kCheap = 0.25;  // of the prediction's time, for a replay

// Whether a row may share the place of the first, which is not smaller.
bool is_close(const Sensitivity& first, const Sensitivity& other) {
  if (other.share >= kTie * first.share) return true;
  const double both = std::hypot(first.uncertainty, other.uncertainty);
  return other.share >= kNamed && first.share - other.share < 2 * both;
}

bool by_share(const Sensitivity& a, const Sensitivity& b) {
  return a.share != b.share ? a.share > b.share : a.measured > b.measured;
}

}  // namespace

std::vector<Sensitivity> sensitivities(const Study& study, const SensitivityOptions& options) {
  const Potential potential(study);
  std::vector<Sensitivity> rows;
  std::vector<std::pair<double, std::size_t>> candidates;  // potential, row
  std::vector<std::size_t> hardly_used;
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    for (const Mode mode : kModes) {
      const auto resource = static_cast<machine::Resource>(r);
      const double most = potential.of(resource, mode);
      if (most >= kHardlyUsed || potential.is_doubtful(resource, mode)) {
        candidates.emplace_back(most, rows.size());
      } else if (most >= kNotUsed) {
        hardly_used.push_back(rows.size());
      }
      rows.push_back({.resource = resource, .mode = mode});
    }
  }
  std::ranges::stable_sort(candidates, std::greater<>(), &std::pair<double, std::size_t>::first);
  ShareSampling sampling(study, options, rows);
  const std::size_t max_alone = study.replay_cost() < kCheap ? kMaxAlone : kAlone;
  std::vector<std::size_t> alone;
  std::vector<std::size_t> screened;
  for (const auto& [most, row] : candidates) {
    const bool likely = alone.size() < (most >= kLargePotential ? max_alone : kAlone);
    (likely ? alone : screened).push_back(row);
  }
  // Those that are hardly used all at once: warps that run in step may fall out of it.
  if (!hardly_used.empty() && sampling.matter_together(hardly_used)) {
    screened.insert(screened.end(), hardly_used.begin(), hardly_used.end());
  }
  const std::vector<std::size_t> promising = sampling.screen(screened);
  alone.insert(alone.end(), promising.begin(), promising.end());
  sampling.take(alone);
  while (sampling.refine()) {
  }
  std::ranges::stable_sort(rows, by_share);
  return rows;
}

std::size_t near_ties(std::span<const Sensitivity> rows) {
  std::size_t ties = 0;
  while (ties < rows.size() && rows[ties].share > 0 && is_close(rows[0], rows[ties])) ++ties;
  return ties;
}

}  // namespace burin::analyze
