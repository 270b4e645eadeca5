// What the strategies with a population share.
#pragma once

#include <vector>

#include "tune/search/procedure.h"

namespace burin::tune {

// `count` different points: the best answered ones, up to half, or else opening points, and random
// ones.
std::vector<Point> first_population(Search& search, std::size_t count);

// The point itself if it is new, else one a few mutations away that is, if there is one near.
Point renewed(Search& search, Point point);

// Points with their values.
std::vector<Answer> joined(std::vector<Point> points, const std::vector<double>& values);

// The best of some points, at least one.
Answer best_of(const std::vector<Point>& points, const std::vector<double>& values);

// The best `count` different points, best first.
void keep_best(std::vector<Answer>& population, std::size_t count);

}  // namespace burin::tune
