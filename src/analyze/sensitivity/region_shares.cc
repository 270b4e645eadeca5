// Splits sensitivities over the regions of a kernel.
#include <algorithm>
#include <cmath>
#include <utility>

#include "analyze/sensitivity/sensitivity.h"

namespace burin::analyze {

namespace {

constexpr double kWorthSplitting = 0.05;  // share of a row that is split over regions
constexpr double kWorthDividing = 0.4;    // part of a row that a region has, to be divided further
constexpr unsigned kDeepestSplit = 3;
constexpr std::size_t kMaxSplit = 4;       // rows
constexpr std::size_t kMaxOfRegions = 14;  // replays for all of their regions, …
constexpr double kTime = 7.6;              // … until this is spent (Study::spent()), …
constexpr std::size_t kMinOfRegions = 10;  // … but some in any case
constexpr double kQuiet = 0.02;            // … one of each where a share is this certain, else two
constexpr double kMinOfRegion = 0.02;      // share of the warp-cycles: else it has no part
constexpr double kMaxScale = 2;            // from a light replay's shares to whole ones

// What is confined to a region, in turn for many rows and regions.
struct Asked {
  std::size_t row = 0;
  RegionShare* to = nullptr;
};

bool has_regions(machine::Resource resource) {
  return resource != machine::Resource::kDispatch;  // it belongs to no instruction
}

// The share of the warp-cycles that are spent in a region or that it makes others wait.
double part_of(const Study& study, const Region& region) {
  const timing::Prediction& base = study.base();
  double spent = 0;
  for (std::size_t i = 0; i < region.instructions.size(); ++i) {
    if (region.instructions[i] == 0) continue;
    spent += base.costs[i].issued;
    for (const launch::StallCycles& stall : base.costs[i].stalls) spent += stall.sum();
  }
  double caused = 0;
  for (const timing::Blame& blame : base.blames) {
    const bool inside =
        blame.cause < region.instructions.size() && region.instructions[blame.cause] != 0;
    if (inside) caused += blame.cycles.sum();
  }
  return base.warp_cycles > 0 ? std::max(spent, caused) / base.warp_cycles : 1;
}

double sum_of(const std::vector<RegionShare>& shares) {
  double sum = 0;
  for (const RegionShare& s : shares) sum += s.share;
  return sum;
}

// The factor from a row's shares in light replays to its share in whole ones.
double to_whole(const Sensitivity& row, double light) {
  return light < kMinOfRegion ? 1 : std::clamp(row.share / light, 1 / kMaxScale, kMaxScale);
}

}  // namespace

void split_over_regions(const Study& study, const Regions& regions,
                        const SensitivityOptions& options, std::span<Sensitivity> rows) {
  std::vector<double> parts;
  for (const Region& region : regions.list) parts.push_back(part_of(study, region));
  const double noise = study.noise() / std::abs(options.step);
  const unsigned samples = noise < kQuiet ? 1 : 2;
  std::vector<Asked> asked;
  const double time = std::max(0.0, kTime - study.spent());
  std::size_t left =
      std::clamp(static_cast<std::size_t>(time / std::max(study.light_replay_cost(), 0.01)),
                 kMinOfRegions, kMaxOfRegions);
  // False, and nothing is asked, where that would take too long.
  const auto ask = [&](std::size_t row, std::vector<RegionShare>& to,
                       const std::vector<std::size_t>& of) {
    const auto matters = [&](std::size_t region) { return parts[region] >= kMinOfRegion; };
    const std::size_t replays =
        samples * static_cast<std::size_t>(std::ranges::count_if(of, matters));
    if (replays > left) return false;
    left -= replays;
    for (const std::size_t region : of) to.push_back({.region = region});
    for (RegionShare& share : to) {
      if (matters(share.region)) asked.push_back({row, &share});
    }
    return true;
  };
  std::vector<std::size_t> split;
  for (std::size_t k = 0; k < rows.size() && split.size() < kMaxSplit; ++k) {
    const double chance = std::max({kWorthSplitting, 2 * rows[k].uncertainty, 2 * noise});
    if (rows[k].share < chance || !has_regions(rows[k].resource)) continue;
    if (!ask(k, rows[k].regions, regions.top)) break;
    split.push_back(k);
  }
  std::vector<double> scales(rows.size(), 1);
  for (unsigned depth = 0; depth < kDeepestSplit && !asked.empty(); ++depth) {
    std::vector<Change> changes;
    for (const Asked& a : asked) {
      changes.push_back({rows[a.row].resource, rows[a.row].mode, 1 + options.step,
                         &regions.list[a.to->region].instructions});
    }
    // The rows themselves come with their first regions.
    const std::vector<std::size_t> wholes = std::exchange(split, {});
    for (const std::size_t k : wholes) {
      changes.push_back({rows[k].resource, rows[k].mode, 1 + options.step});
    }
    const std::vector<double> slower = study.slowdowns(changes, 0, samples);
    for (std::size_t k = 0; k < wholes.size(); ++k) {
      const double light = (slower[asked.size() + k] - 1) / options.step;
      scales[wholes[k]] = to_whole(rows[wholes[k]], light);
    }
    std::vector<Asked> done = std::exchange(asked, {});
    for (std::size_t k = 0; k < done.size(); ++k) {
      done[k].to->share = scales[done[k].row] * (slower[k] - 1) / options.step;
    }
    for (const Asked& a : done) {
      const Region& region = regions.list[a.to->region];
      if (a.to->share < kWorthDividing * rows[a.row].share || region.inside.empty()) continue;
      if (!ask(a.row, a.to->inside, region.inside)) break;
    }
  }
  // The regions' pointers stay where they are until here.
  const auto settle = [](auto& self, RegionShare& share) -> void {
    if (share.inside.empty()) return;
    share.interaction = share.share - sum_of(share.inside);
    for (RegionShare& inner : share.inside) self(self, inner);
  };
  for (Sensitivity& row : rows) {
    if (row.regions.empty()) continue;
    row.interaction = row.share - sum_of(row.regions);
    for (RegionShare& share : row.regions) settle(settle, share);
  }
}

}  // namespace burin::analyze
