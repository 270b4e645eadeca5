// The same configuration in another space of the same parameters, whose values, or whose
// parameters, may stand in another order: that of a recording and that of its spec.
#pragma once

#include <optional>

#include "tune/space/space.h"

namespace burin::tune {

// None if `to` lacks a parameter or a value, or does not allow the configuration.
std::optional<Point> same_point(const Space& from, const Point& point, const Space& to);

}  // namespace burin::tune
