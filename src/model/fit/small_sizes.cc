#include "model/fit/small_sizes.h"

#include <algorithm>
#include <cmath>

#include "model/fit/explore.h"

namespace burin::model {
namespace {

using formula::Shape;

constexpr double kLonger = 1.25;      // than at the largest given size, at most
constexpr double kAlwaysShortUs = 5;  // little more than what starting a kernel takes
constexpr int kMaxTries = 8;
constexpr double kOvershot = 0.25;  // of the limit: made smaller than needed
constexpr double kUnchanged = 0.8;  // of the time: shorter sides did not make the launch shorter

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

// Makes the sides shorter that are no longer than those of `largest`, or else the longer ones.
// False where that was not possible, or is no more.
bool shrink(Sizes& sizes, const Sizes& largest, double part, bool others) {
  std::vector<std::size_t> sides;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if ((sizes[i] <= largest[i]) == others && sizes[i] > 1) sides.push_back(i);
  }
  if (sides.empty() && others) return shrink(sizes, largest, part, false);
  for (const std::size_t side : sides) {
    const double scale = std::pow(part, 1 / static_cast<double>(sides.size()));
    const double value = std::floor(static_cast<double>(sizes[side]) * scale);
    sizes[side] = std::max<std::int64_t>(1, static_cast<std::int64_t>(value));
  }
  return others;
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
    double before_us = 0;  // at the try before
    Sizes too_long;        // the last one that was
    bool others_matter = true;
    for (int tried = 0; tried < kMaxTries; ++tried) {
      double part = 0.5;  // of the work, for the next try
      if (fits(sizes)) {
        const std::optional<double> us = fastest(sizes, common, time);
        if (!us) break;
        if (*us < kOvershot * limit_us && !too_long.empty()) {
          // Too short now, as where the time grows with a square: the middle of both.
          for (std::size_t i = 0; i < sizes.size(); ++i) {
            const double product = static_cast<double>(sizes[i]) * static_cast<double>(too_long[i]);
            sizes[i] = std::llround(std::sqrt(product));
          }
          continue;
        }
        if (*us <= limit_us) {
          const bool known = std::ranges::find(given, sizes) != given.end() ||
                             std::ranges::find(found, sizes) != found.end();
          if (!known) found.push_back(sizes);
          break;
        }
        part = limit_us / *us;
        if (before_us > 0 && *us > kUnchanged * before_us) others_matter = false;
        before_us = *us;
        too_long = sizes;
      }
      others_matter = shrink(sizes, largest, part, others_matter);
    }
  }
  return found;
}

}  // namespace burin::model
