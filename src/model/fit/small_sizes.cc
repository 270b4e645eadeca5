#include "model/fit/small_sizes.h"

#include <algorithm>
#include <cmath>

#include "model/fit/explore.h"

namespace burin::model {
namespace {

using formula::Shape;

constexpr double kLonger = 1.25;      // than at the largest given size, at most
constexpr double kAlwaysShortUs = 5;  // little more than what starting a kernel takes
constexpr int kMaxTries = 6;

// The candidates nearest to shapes that people use.
std::vector<Shape> common_shapes(std::span<const Shape> shapes) {
  std::vector<Shape> found;
  for (const Shape& wanted : {Shape{256, 1, 1}, Shape{32, 8, 1}, Shape{16, 4, 4}}) {
    const auto steps = [&](const Shape& shape) {
      double sum = 0;
      for (std::size_t i = 0; i < shape.size(); ++i) {
        sum += std::abs(std::log2(static_cast<double>(shape[i]) / wanted[i]));
      }
      return sum;
    };
    const Shape& nearest = *std::ranges::min_element(shapes, {}, steps);
    if (std::ranges::find(found, nearest) == found.end()) found.push_back(nearest);
  }
  return found;
}

std::optional<double> fastest(const Sizes& sizes, std::span<const Shape> shapes,
                              const TimeAt& time) {
  std::optional<double> least;
  for (const Shape& shape : shapes) {
    const std::optional<double> us = time(sizes, shape);
    if (us && (!least || *us < *least)) least = us;
  }
  return least;
}

}  // namespace

std::vector<Sizes> small_sizes(std::span<const Sizes> given, std::span<const Shape> shapes,
                               const TimeAt& time, const FitsAt& fits) {
  std::vector<Sizes> found;
  if (given.empty() || shapes.empty()) return found;
  const std::vector<Sizes> wanted = other_proportions(given);
  if (wanted.empty()) return found;
  const Sizes& largest = *std::ranges::max_element(given, {}, log_work);
  const std::vector<Shape> common = common_shapes(shapes);
  const std::optional<double> longest = fastest(largest, common, time);
  if (!longest) return found;
  const double limit_us = std::max(kLonger * *longest, kAlwaysShortUs);
  for (Sizes sizes : wanted) {
    for (int tried = 0; tried < kMaxTries; ++tried) {
      double part = 0.5;  // of the work, for the next try
      if (fits(sizes)) {
        const std::optional<double> us = fastest(sizes, common, time);
        if (!us) break;
        if (*us <= limit_us) {
          const bool known = std::ranges::find(given, sizes) != given.end() ||
                             std::ranges::find(found, sizes) != found.end();
          if (!known) found.push_back(sizes);
          break;
        }
        part = limit_us / *us;
      }
      // Sides that were made longer stay: the others say how many such rows there are.
      std::size_t shrinking = 0;
      for (std::size_t i = 0; i < sizes.size(); ++i) shrinking += sizes[i] <= largest[i] ? 1 : 0;
      const bool all = shrinking == 0 || tried >= kMaxTries / 2;
      const auto count = static_cast<double>(all ? sizes.size() : shrinking);
      for (std::size_t i = 0; i < sizes.size(); ++i) {
        if (!all && sizes[i] > largest[i]) continue;
        const double value = static_cast<double>(sizes[i]) * std::pow(part, 1 / count);
        sizes[i] = std::max<std::int64_t>(1, std::llround(value));
      }
    }
  }
  return found;
}

}  // namespace burin::model
