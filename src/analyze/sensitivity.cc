#include "analyze/sensitivity.h"

#include <algorithm>
#include <cmath>

#include "emulate/timing/code.h"

namespace burin {

namespace {

constexpr double kHardlyUsed = 0.002;     // share of the time: no change of it can matter
constexpr double kWorthSplitting = 0.05;  // share of a row that is split over regions
constexpr double kWorthDividing = 0.4;    // part of a row that a region has, to be divided further
constexpr double kTie = 0.85;             // of the largest share
constexpr unsigned kDeepest = 3;

// The most that a resource's mode can have to do with the time, as far as that is easy to say: 1
// where it is not.
class Potential {
 public:
  explicit Potential(const Study& study)
      : study_(study), code_(timed_code(study.kernel(), study.machine())) {}

  double of(Resource resource, Mode mode) const {
    switch (resource) {
      case Resource::kIssue:
      case Resource::kFetch:
      case Resource::kDispatch:
        return 1;
      case Resource::kConstant:
        return reads_constants() ? 1 : 0;
      case Resource::kFma:
      case Resource::kAlu:
      case Resource::kFp64:
      case Resource::kXu:
      case Resource::kTensor:
      case Resource::kUniform:
        return mode == Mode::kThroughput ? busy(resource) : latency(resource);
      default:
        return mode == Mode::kThroughput || busy(resource) == 0 ? busy(resource) : 1;
    }
  }

 private:
  double busy(Resource resource) const {
    return study_.base().busy[static_cast<std::size_t>(resource)];
  }
  // The cycles that warps would wait if each waited for each of its results, as a share of theirs.
  double latency(Resource resource) const {
    double sum = 0;
    for (std::size_t i = 0; i < code_.size(); ++i) {
      if (code_[i].resource != resource) continue;
      sum += study_.base().costs[i].issued * std::max(code_[i].latency, code_[i].stall);
    }
    return study_.base().warp_cycles > 0 ? sum / study_.base().warp_cycles : 0;
  }
  bool reads_constants() const {
    for (std::size_t i = 0; i < code_.size(); ++i) {
      const bool reads =
          code_[i].constant != 0xffffffff || code_[i].timing_class == TimingClass::kConstantLoad;
      if (reads && study_.base().costs[i].issued > 0) return true;
    }
    return false;
  }

  const Study& study_;
  std::vector<TimedOp> code_;
};

// What is confined to a region, in turn for many rows and regions.
struct Asked {
  std::size_t row = 0;
  RegionShare* to = nullptr;
};

bool has_regions(Resource resource) {
  return resource != Resource::kDispatch;  // it belongs to no instruction
}

double sum_of(const std::vector<RegionShare>& shares) {
  double sum = 0;
  for (const RegionShare& s : shares) sum += s.share;
  return sum;
}

}  // namespace

std::vector<Sensitivity> sensitivities(const Study& study, const SensitivityOptions& options) {
  const Potential potential(study);
  std::vector<Sensitivity> rows;
  std::vector<Change> changes;
  std::vector<std::size_t> row_of;
  for (std::size_t r = 0; r < kResources; ++r) {
    for (const Mode mode : kModes) {
      Sensitivity row{.resource = static_cast<Resource>(r), .mode = mode};
      row.replayed = potential.of(row.resource, mode) >= kHardlyUsed;
      if (row.replayed) {
        changes.push_back({row.resource, mode, 1 + options.step});
        row_of.push_back(rows.size());
      }
      rows.push_back(std::move(row));
    }
  }
  const std::vector<double> cycles = study.cycles_under(changes);
  for (std::size_t k = 0; k < changes.size(); ++k) {
    rows[row_of[k]].share = (cycles[k] / study.base().cycles - 1) / options.step;
  }
  std::ranges::stable_sort(rows, std::ranges::greater(), &Sensitivity::share);
  return rows;
}

void split_over_regions(const Study& study, const Regions& regions,
                        const SensitivityOptions& options, std::span<Sensitivity> rows) {
  std::vector<Asked> asked;
  const auto ask = [&](std::size_t row, std::vector<RegionShare>& to,
                       const std::vector<std::size_t>& of) {
    for (const std::size_t region : of) to.push_back({.region = region});
    for (RegionShare& share : to) asked.push_back({row, &share});
  };
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].share < kWorthSplitting || !has_regions(rows[k].resource)) continue;
    ask(k, rows[k].regions, regions.top);
  }
  for (unsigned depth = 0; depth < kDeepest && !asked.empty(); ++depth) {
    std::vector<Change> changes;
    for (const Asked& a : asked) {
      changes.push_back({rows[a.row].resource, rows[a.row].mode, 1 + options.step,
                         &regions.list[a.to->region].instructions});
    }
    const std::vector<double> cycles = study.cycles_under(changes);
    std::vector<Asked> done = std::exchange(asked, {});
    for (std::size_t k = 0; k < done.size(); ++k) {
      done[k].to->share = (cycles[k] / study.base().cycles - 1) / options.step;
    }
    for (const Asked& a : done) {
      const Region& region = regions.list[a.to->region];
      if (a.to->share < kWorthDividing * rows[a.row].share || region.inside.empty()) continue;
      ask(a.row, a.to->inside, region.inside);
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

std::size_t near_ties(std::span<const Sensitivity> rows) {
  std::size_t ties = 0;
  while (ties < rows.size() && rows[ties].share > 0 && rows[ties].share >= kTie * rows[0].share) {
    ++ties;
  }
  return ties;
}

}  // namespace burin
