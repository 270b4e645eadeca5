// The advice for elements that take different paths because of loaded data: lists in shared memory,
// from which full warps take elements of one kind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advise/case/case.h"
#include "advise/patterns/code/lanes.h"

namespace burin::advise {

// `branch` separates the elements, and `hot` is in the code of one of its sides.
std::string collect_hint(const Case& c, const std::vector<LaneMean>& lanes, std::uint32_t branch,
                         std::uint32_t hot);

}  // namespace burin::advise
