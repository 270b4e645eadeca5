// What the values of a parameter have in common, for models of the answers.
//
// Numbers are ordered: on a logarithmic scale if all are positive and the largest is at least four
// times the smallest, else on a linear one. Apart from their order, numbers differ in roundness:
// how many times two divides them. Blocks of 64 and 128 threads have more in common than 64 and 80.
// Texts, booleans and parameters with two values are either the same or not.
#pragma once

#include <cstdint>
#include <vector>

#include "tune/space/space.h"

namespace burin::tune {

struct ParameterScale {
  std::size_t parameter = 0;  // in the space
  bool ordered = false;
  // By value. A parameter with more values than kMaxLevels has several neighbouring ones on a
  // level.
  std::vector<std::uint16_t> level{};
  // By level: the place on the scale, 0 … 1 if ordered, and the roundness of its first value: 1 for
  // a power of two, 0 for an odd number.
  std::vector<double> coordinate{};
  std::vector<double> roundness{};

  static constexpr std::size_t kMaxLevels = 64;
};

// The parameters that have more than one value in valid points.
std::vector<ParameterScale> scales_of(const Space& space);

// How far apart two points are, 0 … 1: the root mean square over the scales.
double distance(const std::vector<ParameterScale>& scales, const Point& a, const Point& b);

}  // namespace burin::tune
