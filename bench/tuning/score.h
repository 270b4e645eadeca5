// How good a search strategy is on a recorded space, by the method of Willemsen et al. (FGCS 2024).
//
//   RandomBaseline baseline(recorded);
//   baseline.best_after(25)          // the expected best time of 25 random evaluations: 1530 µs
//   std::vector<ReplayedRun> runs = …;       // one for each seed
//   score(baseline, runs)            // 0: as random search; 1: the optimum from the start
//
// The baseline is random search without replacement. Its expected best is computed: the best of n
// distinct points out of N has rank i with probability C(N-i, n-1) / C(N, n). Points that failed
// take part, and have the worst ranks. n evaluations take n times the mean cost of a point. As long
// as nothing valid was found, the best is taken to be the median of the valid points, both for the
// baseline and for a strategy.
//
// A run lasts until the baseline reaches optimum + (median - optimum) · (1 - 0.95). At evenly
// spaced times from the first evaluation until then, P(t) = (baseline - found) / (baseline -
// optimum), with the mean over all seeds for `found`. The score is the mean of P.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "tune/replay.h"

namespace burin::tuning {

inline constexpr double kCutOff = 0.95;
inline constexpr std::size_t kTimePoints = 1000;

class RandomBaseline {
 public:
  // At least one point must have ended well.
  explicit RandomBaseline(const tune::RecordedSpace& recorded);

  // The expected best time, in µs, after this many evaluations (1 or more; interpolated).
  double best_after(double evaluations) const;

  double optimum_us() const { return sorted_us_.front(); }
  double median_us() const { return median_us_; }
  double mean_cost_seconds() const { return mean_cost_seconds_; }

  // Where runs end: evaluations of random search (interpolated), and seconds.
  double cutoff_evaluations() const { return cutoff_evaluations_; }
  double cutoff_seconds() const { return cutoff_evaluations_ * mean_cost_seconds_; }

 private:
  double expected_best(std::size_t evaluations) const;

  std::size_t count_ = 0;            // all points
  std::vector<double> sorted_us_;    // of the valid points
  std::vector<double> expected_us_;  // by evaluations, until the cut-off is reached
  double cutoff_evaluations_ = 1;
  double median_us_ = 0;
  double mean_cost_seconds_ = 0;
};

// The improvements of one run: since `seconds` the best is `time_us`.
struct Improvement {
  double seconds = 0;
  double time_us = 0;
};
struct ReplayedRun {
  std::vector<Improvement> improvements;
  std::size_t trials = 0;
};

// One run until the baseline's cut-off, or until the space is exhausted.
ReplayedRun replay(const tune::RecordedSpace& recorded, const RandomBaseline& baseline,
                   std::string_view strategy, std::uint64_t seed, std::size_t ahead = 1);

double score(const RandomBaseline& baseline, const std::vector<ReplayedRun>& runs);

}  // namespace burin::tuning
