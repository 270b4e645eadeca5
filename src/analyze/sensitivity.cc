#include "analyze/sensitivity.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <utility>

#include "timing/code/timed_code.h"

namespace burin::analyze {

namespace {

constexpr double kHardlyUsed = 0.04;  // potential: no change of it is likely to matter
constexpr double kNotUsed = 0.002;    // potential: no change of it can matter
constexpr double kTie = 0.85;         // of the largest share
constexpr double kNamed = 0.1;        // share of a row that may share the first place

// The first replays: of the rows with the largest potential alone, of the others in groups. Of a
// group that makes a difference, each row alone.
constexpr std::size_t kAlone = 3;
constexpr std::size_t kGroup = 4;
constexpr double kPromising = 0.03;  // share of a group
constexpr double kQuiet = 0.03;  // standard deviation of a share: one replay of a group is enough

// Further replays of the rows that may have a share worth naming, until it is precise or the
// replays are used up.
constexpr double kPrecise = 0.02;  // standard deviation of a share
constexpr std::size_t kMaxReplays = 24;

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
      : study_(study),
        options_(options),
        unchanged_(study.unchanged_of_whole()),
        usual_(study.whole_noise() / std::abs(options.step)),
        replays_(unchanged_.size()) {}

  std::vector<Sensitivity>& rows() { return rows_; }

  // Replays all rows of each group at once. Returns the rows of the groups that make a difference;
  // those of the others have no share.
  std::vector<std::size_t> screen(const std::vector<std::vector<std::size_t>>& groups) {
    const unsigned times = usual_ > kQuiet ? 2 : 1;
    std::vector<Study::Sample> samples;
    for (const auto& group : groups) {
      for (unsigned k = 0; k < times; ++k) samples.push_back({changes(group), k});
    }
    const std::vector<double> slower = replay(samples);
    std::vector<std::size_t> promising;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      double share = 0;
      for (unsigned k = 0; k < times; ++k) {
        share += (slower[g * times + k] - 1) / options_.step / times;
      }
      if (share >= kPromising) {
        promising.insert(promising.end(), groups[g].begin(), groups[g].end());
        continue;
      }
      for (const std::size_t row : groups[g]) {
        rows_[row].replayed = true;
        rows_[row].uncertainty = std::max(std::abs(share), usual_ / std::sqrt(times));
      }
    }
    return promising;
  }

  // One more whole replay of each of the rows.
  void take(const std::vector<std::size_t>& rows) {
    std::vector<Study::Sample> samples;
    for (const std::size_t k : rows) {
      samples.push_back({changes({k}), static_cast<unsigned>(rows_[k].samples.size())});
    }
    const std::vector<double> slower = replay(samples);
    for (std::size_t k = 0; k < rows.size(); ++k) {
      Sensitivity& row = rows_[rows[k]];
      row.replayed = true;
      row.samples.push_back((slower[k] - 1) / options_.step);
    }
    const double paired = pairing();
    for (Sensitivity& row : rows_) {
      if (!row.samples.empty()) settle(row, paired);
    }
  }

  // The rows whose share may be worth naming and is not precise yet, largest first, as many as may
  // still be replayed.
  std::vector<std::size_t> imprecise() const {
    std::vector<std::size_t> found;
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const Sensitivity& row = rows_[k];
      if (row.samples.empty() || row.samples.size() >= Study::kMaxSamples) continue;
      const bool plausible = row.measured + 1.5 * row.uncertainty >= kNamed;
      if (plausible && row.uncertainty > kPrecise) found.push_back(k);
    }
    std::ranges::stable_sort(found, [&](auto a, auto b) { return by_share(rows_[a], rows_[b]); });
    const std::size_t left = kMaxReplays - std::min(kMaxReplays, replays_);
    if (found.size() > left) found.resize(left);
    return found;
  }

 private:
  std::vector<double> replay(const std::vector<Study::Sample>& samples) {
    replays_ += samples.size();
    return study_.slowdowns_of_whole(samples);
  }
  std::vector<Change> changes(const std::vector<std::size_t>& rows) const {
    std::vector<Change> made;
    for (const std::size_t k : rows) {
      made.push_back({rows_[k].resource, rows_[k].mode, 1 + options_.step});
    }
    return made;
  }
  // By how much the unchanged replay of this sample is above the mean, as a share.
  double unchanged(std::size_t sample) const {
    return sample < unchanged_.size() ? (unchanged_[sample] - 1) / options_.step : 0;
  }
  // How much of that a changed replay of the same sample has too: 1 where the samples differ by
  // their latencies, 0 where by the order in which warps meet. Over all rows, as each has but few.
  double pairing() const {
    double both = 0;
    double square = 0;
    for (const Sensitivity& row : rows_) {
      const std::size_t count = std::min(row.samples.size(), unchanged_.size());
      if (count < 2) continue;
      double mean = 0;
      double mean_unchanged = 0;
      for (std::size_t k = 0; k < count; ++k) {
        mean += row.samples[k] / static_cast<double>(count);
        mean_unchanged += unchanged(k) / static_cast<double>(count);
      }
      for (std::size_t k = 0; k < count; ++k) {
        both += (row.samples[k] - mean) * (unchanged(k) - mean_unchanged);
        square += std::pow(unchanged(k) - mean_unchanged, 2);
      }
    }
    return square > 0 ? std::clamp(both / square, 0.0, 1.0) : 0;
  }
  // No chain of waits grows by more than what it consists of: what is measured above 1 or below 0
  // comes from warps that meet in another order.
  void settle(Sensitivity& row, double paired) const {
    const auto count = static_cast<double>(row.samples.size());
    double mean = 0;
    double square = 0;
    const auto corrected = [&](std::size_t k) { return row.samples[k] - paired * unchanged(k); };
    for (std::size_t k = 0; k < row.samples.size(); ++k) mean += corrected(k) / count;
    for (std::size_t k = 0; k < row.samples.size(); ++k) {
      square += std::pow(corrected(k) - mean, 2);
    }
    const double usual = usual_ * std::sqrt(1 - paired * paired);
    const double own = count > 1 ? std::sqrt(square / (count - 1)) : 0;
    row.measured = mean;
    row.share = std::clamp(mean, 0.0, 1.0);
    row.uncertainty = std::hypot(std::max(own, usual) / std::sqrt(count),
                                 usual / std::sqrt(static_cast<double>(unchanged_.size())));
  }

  const Study& study_;
  const SensitivityOptions& options_;
  std::vector<double> unchanged_;  // replays, as multiples of their mean
  double usual_;                   // standard deviation of a share from one replay
  std::size_t replays_;            // so far
  std::vector<Sensitivity> rows_;
};

}  // namespace

std::vector<Sensitivity> sensitivities(const Study& study, const SensitivityOptions& options) {
  const Potential potential(study);
  Sampling sampling(study, options);
  std::vector<Sensitivity>& rows = sampling.rows();
  std::vector<std::pair<double, std::size_t>> candidates;  // potential, row
  std::vector<std::size_t> hardly_used;
  for (std::size_t r = 0; r < machine::kResources; ++r) {
    for (const Mode mode : kModes) {
      const auto resource = static_cast<machine::Resource>(r);
      const double most = potential.of(resource, mode);
      if (most >= kHardlyUsed || potential.doubtful(resource, mode)) {
        candidates.emplace_back(most, rows.size());
      } else if (most >= kNotUsed) {
        hardly_used.push_back(rows.size());
      }
      rows.push_back({.resource = resource, .mode = mode});
    }
  }
  std::ranges::stable_sort(candidates, std::greater<>(), &std::pair<double, std::size_t>::first);
  // Those that are hardly used all at once: warps that run in step may fall out of it.
  if (!hardly_used.empty()) {
    for (const std::size_t row : sampling.screen({hardly_used})) candidates.emplace_back(0, row);
  }
  std::vector<std::size_t> alone;
  std::vector<std::vector<std::size_t>> groups;
  for (const auto& [most, row] : candidates) {
    if (alone.size() < kAlone) {
      alone.push_back(row);
    } else if (groups.empty() || groups.back().size() == kGroup) {
      groups.push_back({row});
    } else {
      groups.back().push_back(row);
    }
  }
  const std::vector<std::size_t> promising = sampling.screen(groups);
  alone.insert(alone.end(), promising.begin(), promising.end());
  sampling.take(alone);
  for (auto more = sampling.imprecise(); !more.empty(); more = sampling.imprecise()) {
    sampling.take(more);
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
