#include "analyze/sensitivity.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "timing/code/timed_code.h"

namespace burin::analyze {

namespace {

constexpr double kHardlyUsed = 0.04;  // potential: no change of it can matter much
constexpr double kMinor = 0.25;       // potential: a light replay first
constexpr double kPromising = 0.05;   // share of a light replay: whole replays tell more
constexpr double kTie = 0.85;         // of the largest share
constexpr double kNamed = 0.1;        // share of a row that may share the first place

// Whole replays of a row: one; for those that matter more; and for those that contend for the first
// place as many as it takes to rank them, while they last.
constexpr double kMatters = 0.05;
constexpr unsigned kSamples = 3;
constexpr double kPrecise = 0.025;  // standard deviation of a share
constexpr std::size_t kMaxReplays = 20;

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
        return latency && busy(resource) > 0 ? waited_for_memory() : busy(resource);
      default:
        return latency ? waited(resource) : busy(resource);
    }
  }

  // What is not booked as busy time may still be waited for.
  bool doubtful(machine::Resource resource, Mode mode) const {
    const bool memory = resource == machine::Resource::kL1 || resource == machine::Resource::kL2 ||
                        resource == machine::Resource::kDram ||
                        resource == machine::Resource::kShared ||
                        resource == machine::Resource::kLsu;
    return mode == Mode::kThroughput && memory && busy(resource) > 0 &&
           waited_for_memory() >= kHardlyUsed;
  }

 private:
  double waited_for_memory() const {
    return waited(machine::Resource::kLsu) + waited(machine::Resource::kShared) +
           stalled(launch::Stall::kBarrier) + stalled(launch::Stall::kDrain) +
           stalled(launch::Stall::kLgThrottle) + stalled(launch::Stall::kMioThrottle);
  }
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

// Whether a row may share the place of the first, which is not smaller.
bool is_close(const Sensitivity& first, const Sensitivity& other) {
  if (other.share >= kTie * first.share) return true;
  const double both = std::hypot(first.uncertainty, other.uncertainty);
  return other.share >= kNamed && first.share - other.share < 2 * both;
}

bool by_share(const Sensitivity& a, const Sensitivity& b) {
  return a.share != b.share ? a.share > b.share : a.measured > b.measured;
}

// Rows in the making: replays them, and keeps their shares and uncertainties up to date.
class Sampling {
 public:
  Sampling(const Study& study, const SensitivityOptions& options)
      : study_(study), options_(options) {}

  std::vector<Sensitivity>& rows() { return rows_; }

  // One light replay of each of the rows.
  void screen(const std::vector<std::size_t>& rows) {
    const std::vector<double> slower = study_.slowdowns(changes(rows), 0, 1);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      rows_[rows[k]].replayed = true;
      set_share(rows_[rows[k]], (slower[k] - 1) / options_.step);
      rows_[rows[k]].uncertainty = study_.noise() / std::abs(options_.step);
    }
  }

  // Whole replays of each of the rows, up to so many samples; all have the same number so far.
  void take(const std::vector<std::size_t>& rows, unsigned samples) {
    if (rows.empty()) return;
    const unsigned before = static_cast<unsigned>(rows_[rows[0]].samples.size());
    const auto slower = study_.slowdowns_of_whole(changes(rows), before, samples);
    replays_ += rows.size() * (samples - before);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      Sensitivity& row = rows_[rows[k]];
      row.replayed = true;
      for (const double each : slower[k]) row.samples.push_back((each - 1) / options_.step);
      settle(row);
    }
  }
  bool can_take(std::size_t replays) const { return replays_ + replays <= kMaxReplays; }

  // The rows that contend for the first place, largest first: none where it is clear whose it is.
  std::vector<std::size_t> contenders() const {
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      if (!rows_[k].samples.empty()) order.push_back(k);
    }
    std::ranges::stable_sort(order, [&](auto a, auto b) { return by_share(rows_[a], rows_[b]); });
    std::vector<std::size_t> found;
    for (const std::size_t k : order) {
      if (found.empty() || is_close(rows_[found[0]], rows_[k])) found.push_back(k);
    }
    const bool precise =
        std::ranges::all_of(found, [&](std::size_t k) { return rows_[k].uncertainty <= kPrecise; });
    if (precise) found.clear();
    return found;
  }

 private:
  std::vector<Change> changes(const std::vector<std::size_t>& rows) const {
    std::vector<Change> made;
    for (const std::size_t k : rows) {
      made.push_back({rows_[k].resource, rows_[k].mode, 1 + options_.step});
    }
    return made;
  }
  // No chain of waits grows by more than what it consists of: what is measured above 1 or below 0
  // comes from warps that meet in another order.
  static void set_share(Sensitivity& row, double measured) {
    row.measured = measured;
    row.share = std::clamp(measured, 0.0, 1.0);
  }
  void settle(Sensitivity& row) const {
    const auto count = static_cast<double>(row.samples.size());
    double mean = 0;
    for (const double share : row.samples) mean += share / count;
    double square = 0;
    for (const double share : row.samples) square += std::pow(share - mean, 2);
    const double usual = study_.whole_noise() / std::abs(options_.step);
    const double own = count > 1 ? std::sqrt(square / (count - 1)) : 0;
    set_share(row, mean);
    row.uncertainty = std::hypot(std::max(own, usual) / std::sqrt(count),
                                 usual / std::sqrt(static_cast<double>(study_.whole_samples())));
  }

  const Study& study_;
  const SensitivityOptions& options_;
  std::vector<Sensitivity> rows_;
  std::size_t replays_ = 0;
};

}  // namespace

std::vector<Sensitivity> sensitivities(const Study& study, const SensitivityOptions& options) {
  const Potential potential(study);
  Sampling sampling(study, options);
  std::vector<Sensitivity>& rows = sampling.rows();
  std::vector<std::size_t> major;
  std::vector<std::size_t> minor;
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    for (const Mode mode : kModes) {
      const auto resource = static_cast<machine::Resource>(r);
      const double most = potential.of(resource, mode);
      if (most >= kMinor) {
        major.push_back(rows.size());
      } else if (most >= kHardlyUsed || potential.doubtful(resource, mode)) {
        minor.push_back(rows.size());
      }
      rows.push_back({.resource = resource, .mode = mode});
    }
  }
  sampling.screen(minor);
  for (const std::size_t k : minor) {
    if (rows[k].share >= kPromising) major.push_back(k);
  }
  sampling.take(major, 1);
  std::vector<std::size_t> more;
  std::ranges::copy_if(major, std::back_inserter(more),
                       [&](std::size_t k) { return rows[k].share >= kMatters; });
  if (!study.steady()) sampling.take(more, kSamples);
  for (unsigned samples = kSamples; samples <= Study::kMaxSamples; ++samples) {
    std::vector<std::size_t> contend = sampling.contenders();
    std::erase_if(contend, [&](std::size_t k) { return rows[k].samples.size() + 1 != samples; });
    if (!sampling.can_take(contend.size())) break;
    sampling.take(contend, samples);
  }
  std::ranges::stable_sort(rows, by_share);
  return std::move(rows);
}

std::size_t near_ties(std::span<const Sensitivity> rows) {
  std::size_t ties = 0;
  while (ties < rows.size() && rows[ties].share > 0 && is_close(rows[0], rows[ties])) ++ties;
  return ties;
}

}  // namespace burin::analyze
