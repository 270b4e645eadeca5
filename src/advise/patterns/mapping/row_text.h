// What to write where several lanes share a row (row_walk.h): the ids, the loop, the reduction and
// the launch.
#pragma once

#include <string>

#include "advise/patterns/mapping/row_walk.h"

namespace burin::advise {

// An element is used again, rather than once with each pass over the row.
inline constexpr double kMinElementReuse = 1.5;

std::string row_hint(const Case& c, const RowWalk& walk);
// The launch of the changed code, as options of burin.
std::string row_launch(const Case& c, const RowWalk& walk);

}  // namespace burin::advise
