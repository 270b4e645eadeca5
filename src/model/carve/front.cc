#include "model/carve/front.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace burin::model {
namespace {

constexpr double kSameValue = 1e-3;  // values of an axis that differ by less say nothing

bool dominates(const AxisPoint& a, const AxisPoint& b, std::size_t dimensions,
               Dominance dominance) {
  bool better = false;
  for (std::size_t i = 0; i < dimensions; ++i) {
    if (dominance == Dominance::kEvery ? a[i] <= b[i] : a[i] < b[i]) return false;
    if (a[i] > b[i]) better = true;
  }
  return better;
}

}  // namespace

std::vector<std::size_t> pareto_front(std::span<const AxisPoint> points, std::size_t dimensions,
                                      Dominance dominance) {
  std::vector<std::size_t> order(points.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // What dominates a point comes before it; of equal points, the first in the space.
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    for (std::size_t i = 0; i < dimensions; ++i) {
      if (points[a][i] != points[b][i]) return points[a][i] > points[b][i];
    }
    return a < b;
  });
  std::vector<std::size_t> front;
  for (const std::size_t candidate : order) {
    const bool beaten = std::ranges::any_of(front, [&](std::size_t other) {
      return dominates(points[other], points[candidate], dimensions, dominance);
    });
    if (!beaten) front.push_back(candidate);
  }
  return front;
}

FrontDistance distance_to(std::span<const std::size_t> front, std::span<const AxisPoint> points,
                          std::size_t point, std::size_t dimensions) {
  FrontDistance nearest{.distance = -std::numeric_limits<double>::infinity()};
  for (const std::size_t other : front) {
    if (other == point) return {};
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < dimensions; ++i) {
      const double own = points[point][i];
      const double theirs = points[other][i];
      if (std::max(own, theirs) <= (1 + kSameValue) * std::min(own, theirs)) continue;
      least = std::min(least, own > 0 ? theirs / own : std::numeric_limits<double>::infinity());
    }
    if (!std::isfinite(least)) least = 1;
    if (least - 1 > nearest.distance) nearest = {least - 1, other};
  }
  nearest.distance = std::max(0.0, nearest.distance);
  return nearest;
}

bool indistinguishable(const AxisPoint& a, const AxisPoint& b, std::size_t dimensions,
                       double tolerance) {
  for (std::size_t i = 0; i < dimensions; ++i) {
    if (std::max(a[i], b[i]) > (1 + tolerance) * std::min(a[i], b[i])) return false;
  }
  return true;
}

}  // namespace burin::model
