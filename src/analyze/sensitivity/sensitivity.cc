#include "analyze/sensitivity/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "analyze/sensitivity/potential.h"
#include "analyze/sensitivity/share_sampling.h"

namespace burin::analyze {

namespace {

constexpr double kHardlyUsed = 0.02;  // potential below which a resource is unlikely to matter
constexpr double kTieRatio = 0.85;    // shares above this fraction of the largest are ties
constexpr double kMinTieShare = 0.1;  // minimum share of a row that ties within its uncertainty
// The kUsualAlone rows with the largest potential are replayed alone, or up to kMaxAlone whose
// potential is large.
// The others are replayed several at once (share_sampling.h).
constexpr std::size_t kUsualAlone = 3;
constexpr std::size_t kMaxAlone = 5;
constexpr double kLargePotential = 0.35;

// Whether `other` cannot be ranked below `first`, whose share is at least as large.
bool is_close(const Sensitivity& first, const Sensitivity& other) {
  if (other.share >= kTieRatio * first.share) return true;
  const double both = std::hypot(first.uncertainty, other.uncertainty);
  return other.share >= kMinTieShare && first.share - other.share < 2 * both;
}

bool by_share(const Sensitivity& a, const Sensitivity& b) {
  return a.share != b.share ? a.share > b.share : a.measured > b.measured;
}

}  // namespace

std::vector<Sensitivity> sensitivities(const Study& study, const SensitivityOptions& options) {
  const Potential potential(study);
  std::vector<Sensitivity> rows;
  std::vector<std::pair<double, std::size_t>> candidates;  // potential, row
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    for (const Mode mode : kModes) {
      const auto resource = static_cast<machine::Resource>(r);
      if (potential.is_used(resource)) {
        candidates.emplace_back(potential.of(resource, mode), rows.size());
      }
      rows.push_back({.resource = resource, .mode = mode});
    }
  }
  std::ranges::stable_sort(candidates, std::greater<>(), &std::pair<double, std::size_t>::first);
  ShareSampling::Group alone;
  ShareSampling::Group likely;
  ShareSampling::Group others;
  for (const auto& [most, row] : candidates) {
    const bool first = alone.size() < (most >= kLargePotential ? kMaxAlone : kUsualAlone);
    (first ? alone : most >= kHardlyUsed ? likely : others).push_back(row);
  }
  ShareSampling sampling(study, options, rows);
  sampling.find(alone, likely, others);
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
