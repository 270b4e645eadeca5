#include "timing/predicted_profile.h"

#include <gtest/gtest.h>

namespace burin::timing {
namespace {

TEST(PredictedProfile, HasEveryWarpCycleOnce) {
  Prediction prediction;
  prediction.warp_cycles = 100;
  prediction.costs.resize(3);
  prediction.costs[0].issued = 10;
  prediction.costs[2].issued = 5;
  prediction.costs[2].stalls[static_cast<std::size_t>(launch::Stall::kWait)] = {.active = 20,
                                                                                .latency = 35};
  const launch::StallProfile profile = profile_of(prediction);
  EXPECT_EQ(profile.unit, launch::StallProfile::Unit::kWarpCycles);
  ASSERT_EQ(profile.rows.size(), 2u);
  EXPECT_EQ(profile.rows[1].offset, 32u);
  EXPECT_EQ(profile.rows[1].total(), 60);
  EXPECT_EQ(profile.issued(), 15);
  EXPECT_EQ(profile.unattributed, 30);
  EXPECT_EQ(profile.total(), 100);
}

}  // namespace
}  // namespace burin::timing
