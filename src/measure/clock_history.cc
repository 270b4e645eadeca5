#include "measure/clock_history.h"

#include <vector>

#include "measure/sample.h"

namespace burin::measure {
namespace {

constexpr std::size_t kMaxBatches = 64;
constexpr std::size_t kMinBatches = 3;
constexpr double kLow = 0.95;

double median_mhz(std::span<const unsigned> mhz) {
  return summarize(std::vector<double>(mhz.begin(), mhz.end())).median;
}

}  // namespace

bool ClockHistory::is_low(std::span<const unsigned> mhz) const {
  if (mhz.empty() || medians_.size() < kMinBatches) return false;
  const std::vector<double> usual(medians_.begin(), medians_.end());
  return median_mhz(mhz) < kLow * summarize(usual).median;
}

void ClockHistory::add(std::span<const unsigned> mhz) {
  if (mhz.empty()) return;
  medians_.push_back(median_mhz(mhz));
  if (medians_.size() > kMaxBatches) medians_.pop_front();
}

}  // namespace burin::measure
