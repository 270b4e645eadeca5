#include "measure/sample.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

namespace burin::measure {

double quantile(std::span<const double> sorted, double part) {
  assert(!sorted.empty() && part >= 0 && part <= 1);
  const double place = part * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = place - static_cast<double>(below);
  return sorted[below] + (sorted[above] - sorted[below]) * weight;
}

Sample summarize(std::span<const double> values) {
  if (values.empty()) return {};
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  Sample sample;
  sample.count = sorted.size();
  sample.median = quantile(sorted, 0.5);
  sample.lower_quartile = quantile(sorted, 0.25);
  sample.upper_quartile = quantile(sorted, 0.75);
  sample.least = sorted.front();
  sample.most = sorted.back();
  for (double& value : sorted) value = std::abs(value - sample.median);
  std::sort(sorted.begin(), sorted.end());
  sample.deviation = quantile(sorted, 0.5);
  return sample;
}

}  // namespace burin::measure
