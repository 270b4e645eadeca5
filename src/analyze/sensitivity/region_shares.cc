// Splits sensitivities over the regions of a kernel.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "analyze/sensitivity/sensitivity.h"

namespace burin::analyze {

namespace {

constexpr double kWorthSplitting = 0.05;  // share of a row that is split over regions
constexpr double kWorthDividing = 0.4;    // part of a row that a region has, to be divided further
constexpr unsigned kDeepestSplit = 3;
constexpr std::size_t kMaxSplit = 4;       // rows
constexpr std::size_t kMaxOfRegions = 14;  // replays for all of their regions, …
constexpr double kTime = 7.2;              // … until this is spent (Study::spent()), …
constexpr std::size_t kMinOfRegions = 12;  // … but some in any case
constexpr double kQuiet = 0.02;            // … one of each where a share is this certain, else two
constexpr double kMinOfRegion = 0.02;      // share of the warp-cycles: else it has no part
constexpr double kNearlyAll = 0.95;        // … of them: it has the whole share
constexpr double kMaxScale = 2;            // from a light replay's shares to whole ones

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

// Splits rows level by level: over the outermost regions, then over what is inside those that have
// a large part.
class RegionSplit {
 public:
  RegionSplit(const Study& study, const Regions& regions, const SensitivityOptions& options,
              std::span<Sensitivity> rows)
      : study_(study), regions_(regions), options_(options), rows_(rows), scales_(rows.size()) {
    for (const Region& region : regions.list) parts_.push_back(part_of(study, region));
  }

  void split();

 private:
  // A row's change confined to the region of `to`.
  struct Asked {
    std::size_t row = 0;
    RegionShare* to = nullptr;
  };

  bool matters(std::size_t region) const { return parts_[region] >= kMinOfRegion; }
  // Whether one of the regions is nearly all there is to the launch: it has the whole share.
  bool is_one(const std::vector<std::size_t>& of) const {
    return std::ranges::any_of(of, [&](std::size_t r) { return parts_[r] >= kNearlyAll; });
  }
  double noise() const { return study_.noise() / std::abs(options_.step); }
  unsigned samples() const { return noise() < kQuiet ? 1 : 2; }
  bool is_worth_splitting(const Sensitivity& row) const;
  // Asks for the regions' parts of `whole`, the share of a row or of a region around them. False,
  // and nothing is asked, where the replays would take too long.
  bool ask(std::size_t row, std::vector<RegionShare>& to, const std::vector<std::size_t>& of,
           double whole);
  // The region that is nearly all of the launch gets the whole share, without a replay.
  void give_whole(std::size_t row, std::vector<RegionShare>& to, const std::vector<std::size_t>& of,
                  double whole);
  // Replays what is asked.
  std::vector<Asked> replay();

  const Study& study_;
  const Regions& regions_;
  const SensitivityOptions& options_;
  const std::span<Sensitivity> rows_;
  std::vector<double> parts_;                  // of each region
  std::vector<Asked> asked_;                   // to be replayed next
  std::optional<std::size_t> left_;            // replays, once some are asked for
  std::vector<std::optional<double>> scales_;  // of each row, from light replays to whole ones
};

bool RegionSplit::is_worth_splitting(const Sensitivity& row) const {
  if (!has_regions(row.resource)) return false;
  if (row.share < std::max(kWorthSplitting, 2 * row.uncertainty)) return false;
  return is_one(regions_.top) || row.share >= 2 * noise();
}

bool RegionSplit::ask(std::size_t row, std::vector<RegionShare>& to,
                      const std::vector<std::size_t>& of, double whole) {
  if (is_one(of)) {
    give_whole(row, to, of, whole);
    return true;
  }
  if (!left_) {
    const double time = std::max(0.0, kTime - study_.spent());
    const double cost = std::max(study_.light_replay_cost(), 0.01);
    left_ = std::clamp(static_cast<std::size_t>(time / cost), kMinOfRegions, kMaxOfRegions);
  }
  const auto regions = std::ranges::count_if(of, [&](std::size_t r) { return matters(r); });
  const std::size_t replays = samples() * static_cast<std::size_t>(regions);
  if (replays > *left_) return false;
  *left_ -= replays;
  for (const std::size_t region : of) to.push_back({.region = region});
  for (RegionShare& share : to) {
    if (matters(share.region)) asked_.push_back({row, &share});
  }
  return true;
}

void RegionSplit::give_whole(std::size_t row, std::vector<RegionShare>& to,
                             const std::vector<std::size_t>& of, double whole) {
  for (const std::size_t region : of) to.push_back({.region = region});
  for (RegionShare& share : to) {
    if (parts_[share.region] < kNearlyAll) continue;
    share.share = whole;
    const std::vector<std::size_t>& inside = regions_.list[share.region].inside;
    if (!inside.empty()) ask(row, share.inside, inside, whole);
  }
}

std::vector<RegionSplit::Asked> RegionSplit::replay() {
  std::vector<Asked> asked = std::exchange(asked_, {});
  std::vector<Change> changes;
  for (const Asked& a : asked) {
    changes.push_back({rows_[a.row].resource, rows_[a.row].mode, 1 + options_.step,
                       &regions_.list[a.to->region].instructions});
  }
  // The rows themselves come with their first regions.
  std::vector<std::size_t> wholes;
  for (const Asked& a : asked) {
    if (!scales_[a.row] && (wholes.empty() || wholes.back() != a.row)) wholes.push_back(a.row);
  }
  for (const std::size_t k : wholes) {
    changes.push_back({rows_[k].resource, rows_[k].mode, 1 + options_.step});
  }
  const std::vector<double> slower = study_.slowdowns(changes, 0, samples());
  for (std::size_t k = 0; k < wholes.size(); ++k) {
    const double light = (slower[asked.size() + k] - 1) / options_.step;
    scales_[wholes[k]] = to_whole(rows_[wholes[k]], light);
  }
  for (std::size_t k = 0; k < asked.size(); ++k) {
    asked[k].to->share = *scales_[asked[k].row] * (slower[k] - 1) / options_.step;
  }
  return asked;
}

void RegionSplit::split() {
  std::size_t split = 0;
  for (std::size_t k = 0; k < rows_.size() && split < kMaxSplit; ++k) {
    if (!is_worth_splitting(rows_[k])) continue;
    if (!ask(k, rows_[k].regions, regions_.top, rows_[k].share)) break;
    ++split;
  }
  for (unsigned depth = 0; depth < kDeepestSplit && !asked_.empty(); ++depth) {
    for (const Asked& a : replay()) {
      const Region& region = regions_.list[a.to->region];
      if (a.to->share < kWorthDividing * rows_[a.row].share || region.inside.empty()) continue;
      if (!ask(a.row, a.to->inside, region.inside, a.to->share)) break;
    }
  }
}

// What the regions' parts leave over, once all of them are known.
void settle(RegionShare& share) {
  if (share.inside.empty()) return;
  share.interaction = share.share - sum_of(share.inside);
  for (RegionShare& inner : share.inside) settle(inner);
}

}  // namespace

void split_over_regions(const Study& study, const Regions& regions,
                        const SensitivityOptions& options, std::span<Sensitivity> rows) {
  RegionSplit(study, regions, options, rows).split();
  for (Sensitivity& row : rows) {
    if (row.regions.empty()) continue;
    row.interaction = row.share - sum_of(row.regions);
    for (RegionShare& share : row.regions) settle(share);
  }
}

}  // namespace burin::analyze
