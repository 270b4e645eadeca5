// Trade-offs between metrics: which points no other point beats on every axis.
//
//   std::vector<AxisPoint> points = {{2, 1}, {1, 2}, {1, 1}};
//   pareto_front(points, 2)     {0, 1}: the third is inferior to the first on no axis by itself,
//                               but beaten or equalled on all
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace burin::model {

using AxisPoint = std::array<double, 3>;  // higher is better; unused axes are ignored

// kEvery: a point goes if another is better on every axis, as published. kAny: if another is at
// least as good on every axis and better on one.
enum class Dominance : unsigned char { kEvery, kAny };

// The points that stay, by falling first axis.
std::vector<std::size_t> pareto_front(std::span<const AxisPoint> points, std::size_t dimensions,
                                      Dominance dominance);

// By which factor some point of the front is better on every axis on which they differ, less 1; 0
// on the front. `by` is that point. Axes on which both have the same value, such as a utilization
// that cannot be higher, do not bring a point closer to the front.
struct FrontDistance {
  double distance = 0;
  std::size_t by = 0;
};
FrontDistance distance_to(std::span<const std::size_t> front, std::span<const AxisPoint> points,
                          std::size_t point, std::size_t dimensions);

// The points are the same but for a factor of 1 + tolerance on any axis.
bool indistinguishable(const AxisPoint& a, const AxisPoint& b, std::size_t dimensions,
                       double tolerance);

}  // namespace burin::model
