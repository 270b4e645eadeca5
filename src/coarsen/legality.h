// What must hold before a kernel is coarsened. Each check returns an Error that names the line and
// the reason. Internal to coarsen/.
#pragma once

#include <string_view>

#include "base/result.h"
#include "coarsen/allow_list.h"
#include "coarsen/plan.h"

namespace burin::coarsen {

inline constexpr Treatments bit(Treatment treatment) {
  return Treatments{1} << static_cast<unsigned>(treatment);
}

// Fills `treatments`: every instruction must be in the allow-list, every special register known and
// every called function one that may be called once for each copy.
Result<void> check_operations(Plan& plan);

// Each copy of a warp is one whole warp of the original launch.
bool keeps_warps_whole(const Coarsening& how, const LaunchShape& launch);
Result<void> check_warps(Plan& plan);

// Needs `divergence`: barriers stand in flow that all threads of a block share.
Result<void> check_barriers(const Plan& plan);

// A loop that ends when another thread has done something would wait for a copy that comes later.
Result<void> check_waiting(const Plan& plan);

}  // namespace burin::coarsen
