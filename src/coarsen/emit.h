// The text of a coarsened function. Internal to coarsen/.
#pragma once

#include <string>

#include "coarsen/plan.h"

namespace burin::coarsen {

// The function as the plan has it, with the shared variables that its copies need in front of it.
std::string emit(const Plan& plan);

}  // namespace burin::coarsen
