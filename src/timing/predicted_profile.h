// Converts a prediction's warp-cycles to a StallProfile, the type used for measured samples.
#pragma once

#include "launch/stall_profile.h"
#include "timing/result/prediction.h"

namespace burin::timing {

// Each row is one instruction of the kernel, 16 bytes each.
launch::StallProfile profile_of(const Prediction& prediction);

}  // namespace burin::timing
