#include "tune/search/encoding.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "tune/search/real.h"

namespace burin::tune {
namespace {

constexpr double kLogRatio = 4;         // largest ÷ smallest from which a scale is logarithmic
constexpr double kOtherCategory = 0.5;  // the distance of two values without order

// The powers of two in a whole number, as a share of what its size allows: 1 for 64, 0.8 for 48,
// which is 16 × 3 and could be 32, and 0 for 7. One for numbers that are not whole or not positive.
double roundness_of(const formula::Value& value) {
  const std::optional<std::int64_t> whole = formula::integer(value);
  if (!whole || *whole <= 1) return 1;
  const auto bits = static_cast<std::uint64_t>(*whole);
  return static_cast<double>(std::countr_zero(bits)) /
         static_cast<double>(std::bit_width(bits) - 1);
}

bool is_ordered(const std::vector<formula::Value>& values) {
  return values.size() > 2 && std::ranges::all_of(values, [](const formula::Value& value) {
           return !std::holds_alternative<bool>(value) && formula::number(value).has_value();
         });
}

ParameterScale scale_of(const std::vector<formula::Value>& values) {
  ParameterScale scale;
  scale.ordered = is_ordered(values);
  std::vector<double> numbers;
  for (const formula::Value& value : values) numbers.push_back(formula::number(value).value_or(0));
  const double smallest = *std::ranges::min_element(numbers);
  const double largest = *std::ranges::max_element(numbers);
  const bool logarithmic = smallest > 0 && largest >= kLogRatio * smallest;
  const std::size_t levels = std::min(values.size(), ParameterScale::kMaxLevels);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t level = i * levels / values.size();
    scale.level.push_back(static_cast<std::uint16_t>(level));
    if (level < scale.coordinate.size()) continue;
    double coordinate = static_cast<double>(level);
    if (scale.ordered) {
      coordinate = logarithmic ? real_log(numbers[i] / smallest) / real_log(largest / smallest)
                               : (numbers[i] - smallest) / (largest - smallest);
    }
    scale.coordinate.push_back(coordinate);
    scale.roundness.push_back(scale.ordered ? roundness_of(values[i]) : 1);
  }
  return scale;
}

}  // namespace

std::vector<ParameterScale> scales_of(const Space& space) {
  std::vector<ParameterScale> scales;
  for (const std::size_t parameter : space.free_parameters()) {
    scales.push_back(scale_of(space.parameters()[parameter].values));
    scales.back().parameter = parameter;
  }
  return scales;
}

double distance(const std::vector<ParameterScale>& scales, const Point& a, const Point& b) {
  double sum = 0;
  for (const ParameterScale& scale : scales) {
    const std::size_t v = scale.level[a[scale.parameter]], w = scale.level[b[scale.parameter]];
    double difference = v == w ? 0 : kOtherCategory;
    if (scale.ordered) difference = scale.coordinate[v] - scale.coordinate[w];
    sum += difference * difference;
  }
  return std::sqrt(sum / static_cast<double>(std::max<std::size_t>(1, scales.size())));
}

}  // namespace burin::tune
