// The points that a search begins with, before it knows anything.
//
// Numbers that are powers of two and near the middle of their scales are seldom bad, whatever they
// mean: of many random points those are taken that come closest to that, and that are apart from
// each other.
#pragma once

#include <cstddef>
#include <vector>

#include "tune/search/encoding.h"
#include "tune/search/history.h"
#include "tune/search/random.h"

namespace burin::tune {

inline constexpr std::size_t kOpeningPoints = 4;

// Up to `count` new points, apart from each other and from those that the history has.
std::vector<Point> opening_points(History& history, const std::vector<ParameterScale>& scales,
                                  std::size_t count, Random& random);

}  // namespace burin::tune
