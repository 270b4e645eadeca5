#include "measure/stopping.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "measure/sample.h"

namespace burin::measure {
namespace {

// Standard error of the median of a normal distribution, in quartile distances: 1.2533 / 1.349.
constexpr double kErrorOfQuartiles = 0.929;
// So much must the fastest launch exceed the limit: no noise of a GPU at work is larger.
constexpr double kAbortMargin = 1.02;
// A first launch may be this much slower than later ones, and no more.
constexpr double kRoughMargin = 3;
constexpr unsigned kMaxThrottledBatches = 3;

}  // namespace

double median_error(std::span<const double> values) {
  if (values.size() < 4) return std::numeric_limits<double>::infinity();
  const Sample sample = summarize(values);
  if (sample.median <= 0) return 0;
  return kErrorOfQuartiles * (sample.upper_quartile - sample.lower_quartile) /
         std::sqrt(static_cast<double>(sample.count)) / sample.median;
}

void StoppingRule::add_rough(double time_us) {
  rough_us_ = time_us;
  if (stopping_.most == 0 || stopping_.abort_above_us <= 0) return;
  if (time_us <= kRoughMargin * stopping_.abort_above_us) return;
  cut_short_ = true;
  times_us_ = {time_us};
}

bool StoppingRule::settled() const {
  return stopping_.target_spread > 0 && median_error(times_us_) <= stopping_.target_spread;
}

// As many of them as fit into the time that is left; at least one where there is none yet.
unsigned StoppingRule::within_time(unsigned launches, double seconds) const {
  if (stopping_.max_seconds <= 0 || launches == 0) return launches;
  const double each =
      launches_ > 0 ? seconds / static_cast<double>(launches_) : rough_us_ / 1'000'000;
  const double left = std::max(0.0, stopping_.max_seconds - seconds);
  if (each * static_cast<double>(launches) <= left) return launches;
  const auto fitting = static_cast<unsigned>(left / each);
  return times_us_.empty() ? std::max(fitting, 1u) : fitting;
}

unsigned StoppingRule::next(double seconds) {
  const auto count = static_cast<unsigned>(times_us_.size());
  const unsigned least = std::min(stopping_.least, stopping_.most);
  if (cut_short_ || count >= stopping_.most) return 0;
  if (count < least) return within_time(least - count, seconds);
  if (stopping_.abort_above_us > 0 &&
      *std::ranges::min_element(times_us_) > kAbortMargin * stopping_.abort_above_us) {
    cut_short_ = true;
    return 0;
  }
  const unsigned left = stopping_.most - count;
  if (stopping_.target_spread <= 0) return within_time(left, seconds);
  if (settled()) return 0;
  // The error falls with the root of the count. At most as many again: the estimate is rough too.
  const double ratio = median_error(times_us_) / stopping_.target_spread;
  const double wanted = static_cast<double>(count) * (ratio * ratio - 1);
  const unsigned more = wanted < count ? std::max(1u, static_cast<unsigned>(wanted)) : count;
  return within_time(std::min(std::max(more, 1u), left), seconds);
}

void StoppingRule::add(std::span<const double> times_us, bool throttled) {
  launches_ += static_cast<unsigned>(times_us.size());
  if (throttled && throttled_batches_ < kMaxThrottledBatches) {
    ++throttled_batches_;
    discarded_ += static_cast<unsigned>(times_us.size());
    return;
  }
  times_us_.insert(times_us_.end(), times_us.begin(), times_us.end());
}

}  // namespace burin::measure
