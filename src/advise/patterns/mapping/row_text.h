// The advice for lanes that share a row (row_walk.h): indices, loop, reduction and launch.
#pragma once

#include <string>

#include "advise/patterns/mapping/row_walk.h"

namespace burin::advise {

// From this reuse on, an element is used again within a pass over the row.
inline constexpr double kMinElementReuse = 1.5;

std::string row_hint(const Case& c, const RowWalk& walk);
// The launch of the changed code, as options of burin.
std::string row_launch(const Case& c, const RowWalk& walk);

}  // namespace burin::advise
