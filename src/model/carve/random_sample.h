// What a random sample of a space finds: exact expectations over all samples without replacement.
//
//   RandomSample random(times_us);           // infinity: the configuration failed
//   random.expected(8)                       0.817: the best of 8, as a share of the best
//   performance random.needed(0.95)                      37 samples for an expected 95 %
#pragma once

#include <cstddef>
#include <vector>

namespace burin::model {

class RandomSample {
 public:
  explicit RandomSample(std::vector<double> times_us);

  // The expected best performance of `count` configurations, as a share of the best of all.
  double expected(std::size_t count) const;
  // The fewest configurations whose expected best reaches `share`.
  std::size_t needed(double share) const;
  // The share of all samples of that size whose best is worse than `time_us`.
  double percentile(std::size_t count, double time_us) const;

  double best_us() const { return times_us_.front(); }

 private:
  std::vector<double> times_us_;  // sorted
};

}  // namespace burin::model
