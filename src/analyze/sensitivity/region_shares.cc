// Splits sensitivities over the regions of a kernel.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "analyze/sensitivity/sensitivity.h"

namespace burin::analyze {

namespace {

constexpr double kMinShareToSplit = 0.05;  // rows with a smaller share are not split
constexpr double kMinPartToDivide = 0.4;   // a region with less of its row is not divided
constexpr unsigned kMaxSplitDepth = 3;
constexpr std::size_t kMaxSplitRows = 4;
constexpr std::size_t kMaxRegionReplays = 14;  // limits on the replays for all regions:
constexpr double kMaxTime = 7.2;               // as many as fit until Study::spent() reaches this,
constexpr std::size_t kMinRegionReplays = 12;  // but at least so many
constexpr double kMaxQuietNoise = 0.02;  // noise of a share for which one sample suffices, not two
constexpr double kMinPart = 0.02;        // share of warp-cycles; smaller regions get no share
constexpr double kWholePart = 0.95;      // share of warp-cycles; such a region gets the whole share
constexpr double kMaxScale = 2;          // maximum ratio of whole to light shares, and its inverse

bool has_regions(machine::Resource resource) {
  return resource != machine::Resource::kDispatch;  // it belongs to no instruction
}

// The share of warp-cycles spent in a region, or spent elsewhere on waits that it causes, whichever
// is larger.
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

// The ratio of a row's share in whole replays to its share in light ones.
double to_whole(const Sensitivity& row, double light) {
  return light < kMinPart ? 1 : std::clamp(row.share / light, 1 / kMaxScale, kMaxScale);
}

// Splits rows level by level: first over the outermost regions, then over the regions inside those
// with a large part.
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
  struct PendingReplay {
    std::size_t row = 0;
    RegionShare* to = nullptr;
  };

  bool matters(std::size_t region) const { return parts_[region] >= kMinPart; }
  // Whether one of the regions has nearly all of the warp-cycles: it gets the whole share.
  bool has_dominant(const std::vector<std::size_t>& of) const {
    return std::ranges::any_of(of, [&](std::size_t r) { return parts_[r] >= kWholePart; });
  }
  double noise() const { return study_.noise() / std::abs(options_.step); }
  unsigned samples() const { return noise() < kMaxQuietNoise ? 1 : 2; }
  bool is_worth_splitting(const Sensitivity& row) const;
  // Plans the replays that split `whole`, the share of a row or of an outer region, over the
  // regions `of`. Returns false, and plans none, if they would exceed the limit.
  bool plan_replays(std::size_t row, std::vector<RegionShare>& to,
                    const std::vector<std::size_t>& of, double whole);
  // Gives the whole share to the dominant region, without a replay.
  void give_whole(std::size_t row, std::vector<RegionShare>& to, const std::vector<std::size_t>& of,
                  double whole);
  // Runs the planned replays and stores their shares.
  std::vector<PendingReplay> replay();

  const Study& study_;
  const Regions& regions_;
  const SensitivityOptions& options_;
  const std::span<Sensitivity> rows_;
  std::vector<double> parts_;  // share of warp-cycles of each region
  std::vector<PendingReplay> pending_;
  std::optional<std::size_t> replays_left_;    // set with the first planned replay
  std::vector<std::optional<double>> scales_;  // of each row: to_whole()
};

bool RegionSplit::is_worth_splitting(const Sensitivity& row) const {
  if (!has_regions(row.resource)) return false;
  if (row.share < std::max(kMinShareToSplit, 2 * row.uncertainty)) return false;
  return has_dominant(regions_.top) || row.share >= 2 * noise();
}

bool RegionSplit::plan_replays(std::size_t row, std::vector<RegionShare>& to,
                               const std::vector<std::size_t>& of, double whole) {
  if (has_dominant(of)) {
    give_whole(row, to, of, whole);
    return true;
  }
  if (!replays_left_) {
    const double time = std::max(0.0, kMaxTime - study_.spent());
    const double cost = std::max(study_.light_replay_cost(), 0.01);
    replays_left_ =
        std::clamp(static_cast<std::size_t>(time / cost), kMinRegionReplays, kMaxRegionReplays);
  }
  const auto regions = std::ranges::count_if(of, [&](std::size_t r) { return matters(r); });
  const std::size_t replays = samples() * static_cast<std::size_t>(regions);
  if (replays > *replays_left_) return false;
  *replays_left_ -= replays;
  for (const std::size_t region : of) to.push_back({.region = region});
  for (RegionShare& share : to) {
    if (matters(share.region)) pending_.push_back({row, &share});
  }
  return true;
}

void RegionSplit::give_whole(std::size_t row, std::vector<RegionShare>& to,
                             const std::vector<std::size_t>& of, double whole) {
  for (const std::size_t region : of) to.push_back({.region = region});
  for (RegionShare& share : to) {
    if (parts_[share.region] < kWholePart) continue;
    share.share = whole;
    const std::vector<std::size_t>& inside = regions_.list[share.region].inside;
    if (!inside.empty()) plan_replays(row, share.inside, inside, whole);
  }
}

std::vector<RegionSplit::PendingReplay> RegionSplit::replay() {
  std::vector<PendingReplay> pending = std::exchange(pending_, {});
  std::vector<Change> changes;
  for (const PendingReplay& a : pending) {
    changes.push_back({rows_[a.row].resource, rows_[a.row].mode, 1 + options_.step,
                       &regions_.list[a.to->region].instructions});
  }
  // Each row itself is replayed once, together with its first regions.
  std::vector<std::size_t> wholes;
  for (const PendingReplay& a : pending) {
    if (!scales_[a.row] && (wholes.empty() || wholes.back() != a.row)) wholes.push_back(a.row);
  }
  for (const std::size_t k : wholes) {
    changes.push_back({rows_[k].resource, rows_[k].mode, 1 + options_.step});
  }
  const std::vector<double> slower = study_.slowdowns(changes, 0, samples());
  for (std::size_t k = 0; k < wholes.size(); ++k) {
    const double light = (slower[pending.size() + k] - 1) / options_.step;
    scales_[wholes[k]] = to_whole(rows_[wholes[k]], light);
  }
  for (std::size_t k = 0; k < pending.size(); ++k) {
    pending[k].to->share = *scales_[pending[k].row] * (slower[k] - 1) / options_.step;
  }
  return pending;
}

void RegionSplit::split() {
  std::size_t split = 0;
  for (std::size_t k = 0; k < rows_.size() && split < kMaxSplitRows; ++k) {
    if (!is_worth_splitting(rows_[k])) continue;
    if (!plan_replays(k, rows_[k].regions, regions_.top, rows_[k].share)) break;
    ++split;
  }
  for (unsigned depth = 0; depth < kMaxSplitDepth && !pending_.empty(); ++depth) {
    for (const PendingReplay& a : replay()) {
      const Region& region = regions_.list[a.to->region];
      if (a.to->share < kMinPartToDivide * rows_[a.row].share || region.inside.empty()) continue;
      if (!plan_replays(a.row, a.to->inside, region.inside, a.to->share)) break;
    }
  }
}

// Sets the interaction terms, once the shares of all regions are known.
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
