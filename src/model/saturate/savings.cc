#include "model/saturate/savings.h"

#include <algorithm>
#include <vector>

#include "measure/sample.h"

namespace burin::model {

std::optional<double> target_factor(std::span<const TimedAtBoth> timed) {
  std::vector<double> factors;
  for (const TimedAtBoth& times : timed) {
    if (times.msp_us > 0 && times.target_us > 0) factors.push_back(times.target_us / times.msp_us);
  }
  if (factors.empty()) return std::nullopt;
  std::ranges::sort(factors);
  return measure::quantile(factors, 0.5);
}

}  // namespace burin::model
