// A prediction's warp-cycles as a StallProfile, the type that measured samples have.
#pragma once

#include "launch/stall_profile.h"
#include "timing/result/prediction.h"

namespace burin::timing {

// Rows stand for the kernel's instructions, 16 bytes each.
launch::StallProfile profile_of(const Prediction& prediction);

}  // namespace burin::timing
