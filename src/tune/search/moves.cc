#include "tune/search/moves.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace burin::tune {
namespace {

// Other valid values of one parameter.
std::vector<std::uint16_t> other_values(const Space& space, Point point, std::size_t parameter) {
  std::vector<std::uint16_t> values;
  const std::uint16_t here = point[parameter];
  const std::size_t count = space.parameters()[parameter].values.size();
  for (std::size_t value = 0; value < count; ++value) {
    if (value == here) continue;
    point[parameter] = static_cast<std::uint16_t>(value);
    if (space.contains(point)) values.push_back(point[parameter]);
  }
  return values;
}

std::vector<std::size_t> random_order(std::size_t count, Random& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  random.shuffle(order);
  return order;
}

}  // namespace

Point mutated(const Space& space, Point point, std::size_t changes, Random& random) {
  // Each change is of another parameter, as long as there are any that can be changed.
  std::size_t changed = 0;
  for (const std::size_t parameter : random_order(space.dimensions(), random)) {
    if (changed == changes) break;
    const std::vector<std::uint16_t> values = other_values(space, point, parameter);
    if (values.empty()) continue;
    point[parameter] = values[random.below(values.size())];
    ++changed;
  }
  return point;
}

Point towards(const Space& space, const Point& from, std::span<const double> wanted,
              Random& random) {
  Point point = from;
  const auto distance = [&](std::size_t parameter, std::size_t value) {
    return std::abs(static_cast<double>(value) - wanted[parameter]);
  };
  bool changed = true;
  while (changed) {
    changed = false;
    for (const std::size_t parameter : random_order(space.dimensions(), random)) {
      const std::uint16_t before = point[parameter];
      std::uint16_t best = before;
      const std::size_t count = space.parameters()[parameter].values.size();
      for (std::size_t value = 0; value < count; ++value) {
        if (distance(parameter, value) >= distance(parameter, best)) continue;
        point[parameter] = static_cast<std::uint16_t>(value);
        if (space.contains(point)) best = point[parameter];
      }
      point[parameter] = best;
      changed = changed || best != before;
    }
  }
  return point;
}

Point towards(const Space& space, const Point& from, const Point& wanted, Random& random) {
  const std::vector<double> coordinates(wanted.begin(), wanted.end());
  return towards(space, from, coordinates, random);
}

Point crossed(const Space& space, const Point& one, const Point& other, Random& random) {
  Point wanted = one;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (random.chance(0.5)) wanted[i] = other[i];
  }
  return space.contains(wanted) ? wanted : towards(space, one, wanted, random);
}

}  // namespace burin::tune
