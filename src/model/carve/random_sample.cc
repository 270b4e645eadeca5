#include "model/carve/random_sample.h"

#include <algorithm>
#include <cmath>

namespace burin::model {

RandomSample::RandomSample(std::vector<double> times_us) : times_us_(std::move(times_us)) {
  std::ranges::sort(times_us_);
}

double RandomSample::expected(std::size_t count) const {
  const std::size_t n = times_us_.size();
  count = std::min(count, n);
  if (count == 0 || !std::isfinite(times_us_.front())) return 0;
  // The probability that the i-th fastest is the best of the sample.
  double probability = static_cast<double>(count) / static_cast<double>(n);
  double sum = 0;
  for (std::size_t i = 0; i + count <= n && std::isfinite(times_us_[i]); ++i) {
    sum += probability * times_us_.front() / times_us_[i];
    if (i + 1 < n) {
      const auto left = static_cast<double>(n - i - 1);
      probability *= (left - static_cast<double>(count) + 1) / left;
    }
  }
  return sum;
}

std::size_t RandomSample::needed(double share) const {
  std::size_t low = 1;
  std::size_t high = times_us_.size();
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (expected(middle) >= share) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

double RandomSample::percentile(std::size_t count, double time_us) const {
  // All of the sample must come from those that are slower.
  const auto n = static_cast<double>(times_us_.size());
  const auto slower =
      static_cast<double>(times_us_.end() - std::ranges::upper_bound(times_us_, time_us));
  double probability = 1;
  for (std::size_t i = 0; i < count; ++i) {
    const auto taken = static_cast<double>(i);
    probability *= std::max(0.0, slower - taken) / std::max(1.0, n - taken);
  }
  return probability;
}

}  // namespace burin::model
