#include "analyze/sensitivity.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "timing/code/timed_code.h"

namespace burin::analyze {

namespace {

constexpr double kHardlyUsed = 0.04;      // share of the time: no change of it can matter much
constexpr double kWorthSplitting = 0.05;  // share of a row that is split over regions
constexpr double kWorthDividing = 0.4;    // part of a row that a region has, to be divided further
constexpr double kTie = 0.85;             // of the largest share
constexpr unsigned kDeepestSplit = 3;
constexpr double kPrecise = 0.025;    // the standard deviation of a share, where possible
constexpr unsigned kManySamples = 4;  // replays of the largest changes, at most

// Rows are replayed once; those that matter again, and the largest until they are precise.
struct Round {
  unsigned samples;
  std::size_t rows;
};
constexpr Round kRounds[] = {{2, 5}, {kManySamples, 2}};

constexpr std::size_t kMaxSplit = 5;        // rows
constexpr std::size_t kMostOfRegions = 48;  // replays for all of their regions
constexpr unsigned kOfRegion = 2;           // … of each, at most
constexpr double kMinOfRegion = 0.02;       // share of the warp-cycles: else it has no part

// Replays of a change, for its mean to be precise.
unsigned samples_for(const Study& study, const SensitivityOptions& options, unsigned most) {
  const double one = study.noise() / std::abs(options.step) / kPrecise;
  most = std::min(most, study.samples());
  return static_cast<unsigned>(std::clamp(std::ceil(one * one), 1.0, static_cast<double>(most)));
}

// The standard deviation of a share that is the mean of so many samples, as is what it is held
// against.
double uncertainty_of(const Study& study, const SensitivityOptions& options, unsigned samples) {
  return study.noise() / std::abs(options.step) * std::sqrt(1.0 / samples + 1.0 / study.samples());
}

// The most that a resource's mode can have to do with the time, by what the launch was seen to do:
// the share of the time in which it is taken, or of the warp-cycles that are waited for it.
class Potential {
 public:
  explicit Potential(const Study& study)
      : base_(study.base()), code_(timing::timed_code(study.kernel(), study.machine())) {
    for (const timing::Blame& blame : base_.blames) {
      if (blame.cause >= code_.size()) continue;
      const machine::Resource cause = code_[blame.cause].resource;
      waited_[static_cast<std::size_t>(cause)] += blame.cycles.sum();
    }
    const timing::TracedLaunch& traced = study.traced();
    const double rounds =
        std::ceil(static_cast<double>(traced.share.count) / static_cast<double>(traced.resident));
    const auto& dispatch = study.machine().dispatch;
    dispatch_ = (dispatch.launch + rounds * dispatch.latency) / base_.cycles;
  }

  double of(machine::Resource resource, Mode mode) const {
    const bool latency = mode == Mode::kLatency;
    switch (resource) {
      case machine::Resource::kIssue:
        return latency ? stalled(launch::Stall::kBranchResolving) : 1;
      case machine::Resource::kFetch:
        return stalled(launch::Stall::kNoInstruction);
      case machine::Resource::kConstant:
        return std::max(stalled(launch::Stall::kImcMiss),
                        latency ? waited(resource) : busy(resource));
      case machine::Resource::kBarrier:
        return latency ? stalled(launch::Stall::kBarrier) : busy(resource);
      case machine::Resource::kDispatch:
        return latency ? dispatch_ : busy(resource);
      case machine::Resource::kL1:
      case machine::Resource::kL2:
      case machine::Resource::kDram:
      case machine::Resource::kShared:
        // Whose turn it was is not booked: all that is waited for memory may be theirs.
        return latency && busy(resource) > 0
                   ? waited(machine::Resource::kLsu) + waited(machine::Resource::kShared) +
                         stalled(launch::Stall::kBarrier)
                   : busy(resource);
      default:
        return latency ? waited(resource) : busy(resource);
    }
  }

 private:
  double busy(machine::Resource r) const { return base_.busy[static_cast<std::size_t>(r)]; }
  double of_warp_cycles(double cycles) const {
    return base_.warp_cycles > 0 ? cycles / base_.warp_cycles : 0;
  }
  double stalled(launch::Stall stall) const {
    return of_warp_cycles(base_.stalls[static_cast<std::size_t>(stall)].sum());
  }
  double waited(machine::Resource r) const {
    return of_warp_cycles(waited_[static_cast<std::size_t>(r)]);
  }

  const timing::Prediction& base_;
  std::vector<timing::TimedOp> code_;
  std::array<double, machine::kResources> waited_{};
  double dispatch_ = 0;
};

// What is confined to a region, in turn for many rows and regions.
struct Asked {
  std::size_t row = 0;
  RegionShare* to = nullptr;
};

bool has_regions(machine::Resource resource) {
  return resource != machine::Resource::kDispatch;  // it belongs to no instruction
}

// The rows that matter are measured again, with more samples.
void repeat(const Study& study, const SensitivityOptions& options, unsigned before, Round round,
            std::vector<Sensitivity>& rows) {
  const unsigned samples = samples_for(study, options, round.samples);
  if (samples <= before) return;
  std::vector<Change> changes;
  for (const Sensitivity& row : rows) {
    if (row.share < kWorthSplitting || changes.size() == round.rows) break;
    changes.push_back({row.resource, row.mode, 1 + options.step});
  }
  const std::vector<double> slower = study.slowdowns(changes, before, samples);
  for (std::size_t k = 0; k < changes.size(); ++k) {
    const double share = (slower[k] - 1) / options.step;
    rows[k].share = (rows[k].share * before + share * (samples - before)) / samples;
    rows[k].uncertainty = uncertainty_of(study, options, samples);
  }
  std::ranges::stable_sort(rows, std::ranges::greater(), &Sensitivity::share);
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

}  // namespace

std::vector<Sensitivity> sensitivities(const Study& study, const SensitivityOptions& options) {
  const Potential potential(study);
  // What chance does to the time hides the rest: no replay could tell it from 0.
  const double least = std::max(kHardlyUsed, 2 * uncertainty(study, options));
  std::vector<Sensitivity> rows;
  std::vector<Change> changes;
  std::vector<std::size_t> row_of;
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    for (const Mode mode : kModes) {
      Sensitivity row{.resource = static_cast<machine::Resource>(r), .mode = mode};
      row.replayed = potential.of(row.resource, mode) >= least;
      if (row.replayed) {
        changes.push_back({row.resource, mode, 1 + options.step});
        row_of.push_back(rows.size());
      }
      rows.push_back(std::move(row));
    }
  }
  const std::vector<double> slower = study.slowdowns(changes, 0, 1);
  for (std::size_t k = 0; k < changes.size(); ++k) {
    rows[row_of[k]].share = (slower[k] - 1) / options.step;
    rows[row_of[k]].uncertainty = uncertainty_of(study, options, 1);
  }
  std::ranges::stable_sort(rows, std::ranges::greater(), &Sensitivity::share);
  unsigned samples = 1;
  for (const Round& round : kRounds) {
    repeat(study, options, samples, round, rows);
    samples = round.samples;
  }
  return rows;
}

void split_over_regions(const Study& study, const Regions& regions,
                        const SensitivityOptions& options, std::span<Sensitivity> rows) {
  std::vector<double> parts;
  for (const Region& region : regions.list) parts.push_back(part_of(study, region));
  const unsigned samples = samples_for(study, options, kOfRegion);
  std::vector<Asked> asked;
  std::size_t left = kMostOfRegions;
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
  const double least = std::max(kWorthSplitting, 2 * uncertainty(study, options));
  std::size_t split = 0;
  for (std::size_t k = 0; k < rows.size() && split < kMaxSplit; ++k) {
    const double chance = std::max(least, 2 * rows[k].uncertainty);
    if (rows[k].share < chance || !has_regions(rows[k].resource)) continue;
    ++split;
    if (!ask(k, rows[k].regions, regions.top)) break;
  }
  for (unsigned depth = 0; depth < kDeepestSplit && !asked.empty(); ++depth) {
    std::vector<Change> changes;
    for (const Asked& a : asked) {
      changes.push_back({rows[a.row].resource, rows[a.row].mode, 1 + options.step,
                         &regions.list[a.to->region].instructions});
    }
    const std::vector<double> slower = study.slowdowns(changes, 0, samples);
    std::vector<Asked> done = std::exchange(asked, {});
    for (std::size_t k = 0; k < done.size(); ++k) {
      done[k].to->share = (slower[k] - 1) / options.step;
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

double uncertainty(const Study& study, const SensitivityOptions& options) {
  return uncertainty_of(study, options, samples_for(study, options, kManySamples));
}

std::size_t near_ties(std::span<const Sensitivity> rows) {
  std::size_t ties = 0;
  while (ties < rows.size() && rows[ties].share > 0 && rows[ties].share >= kTie * rows[0].share) {
    ++ties;
  }
  return ties;
}

}  // namespace burin::analyze
