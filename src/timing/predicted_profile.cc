#include "timing/predicted_profile.h"

namespace burin::timing {

launch::StallProfile profile_of(const Prediction& prediction) {
  launch::StallProfile profile{.unit = launch::StallProfile::Unit::kWarpCycles};
  double attributed = 0;
  for (std::size_t k = 0; k < prediction.costs.size(); ++k) {
    const InstructionCost& cost = prediction.costs[k];
    launch::StallRow row{
        .offset = k * read::kInstructionBytes, .issued = cost.issued, .stalls = cost.stalls};
    if (row.total() == 0) continue;
    attributed += row.total();
    profile.rows.push_back(row);
    profile.executed.push_back(cost.issued);
  }
  if (prediction.warp_cycles > attributed) {
    profile.unattributed = prediction.warp_cycles - attributed;
  }
  return profile;
}

}  // namespace burin::timing
