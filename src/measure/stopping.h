// How many times a configuration is timed. A series of launches ends when the median is known well
// enough, when the configuration is clearly too slow to matter, or at a limit. The rule is pure: it
// asks for launches and is given their times.
//
//   StoppingRule rule({.least = 5, .most = 50, .target_spread = 0.005, .abort_above_us = 120});
//   rule.add_rough(warm_up_time_us);
//   while (unsigned launches = rule.next(seconds_so_far)) {
//     rule.add(run(launches), /*throttled=*/false);
//   }
//   summarize(rule.times_us()).median
//
// The standard error of the median is estimated from the quartiles: 0.93 · (Q3 - Q1) / √n, exact
// for a normal distribution and insensitive to outliers.
#pragma once

#include <span>
#include <vector>

namespace burin::measure {

struct Stopping {
  unsigned least = 20;  // launches before anything is decided
  unsigned most = 20;   // at most so many; 0: nothing is timed
  // Relative standard error of the median at which the series ends, 0.005 for 0.5 %. 0: never, so
  // that `most` launches are timed.
  double target_spread = 0;
  // The series is cut short when even the fastest of `least` launches took longer, µs. 0: never.
  double abort_above_us = 0;
  double max_seconds = 0;  // wall-clock time for the series, seconds; 0: no limit

  bool operator==(const Stopping&) const = default;
};

// Exactly `launches` launches.
inline Stopping exactly(unsigned launches) {
  return {.least = launches, .most = launches};
}

// Relative standard error of the median of `values`; infinite for fewer than four values, of which
// the quartiles say nothing.
double median_error(std::span<const double> values);

class StoppingRule {
 public:
  explicit StoppingRule(const Stopping& stopping) : stopping_(stopping) {}

  // The time of a launch that does not count, because it warmed up the GPU. If it is several times
  // longer than `abort_above_us`, the series is cut short before it begins, with this time as its
  // only one.
  void add_rough(double time_us);

  // The number of launches to time next; 0: the series is complete. `seconds` have passed since the
  // series began.
  unsigned next(double seconds);

  // The times of the launches that next() asked for. Throttled ones are discarded, and repeated,
  // unless that happens again and again: then the device cannot do better and they count.
  void add(std::span<const double> times_us, bool throttled);

  const std::vector<double>& times_us() const { return times_us_; }
  bool cut_short() const { return cut_short_; }
  bool settled() const;                              // `target_spread` was reached
  unsigned discarded() const { return discarded_; }  // throttled launches that were repeated

 private:
  unsigned within_time(unsigned launches, double seconds) const;

  Stopping stopping_;
  std::vector<double> times_us_;
  double rough_us_ = 0;
  unsigned launches_ = 0;  // including the discarded ones
  unsigned discarded_ = 0;
  unsigned throttled_batches_ = 0;
  bool cut_short_ = false;
};

}  // namespace burin::measure
