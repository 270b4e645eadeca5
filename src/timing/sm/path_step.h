// One issue of a replay and what it waited for last: walked back from the end, such steps are the
// chain that sets the time (analyze/critical_path.h).
#pragma once

#include <cstdint>
#include <vector>

#include "launch/stall.h"

namespace burin::timing {

struct PathStep {
  static constexpr std::uint32_t kNone = 0xffffffff;

  std::int64_t at = 0;  // cycle
  std::uint32_t instruction = 0;
  std::uint32_t before = kNone;  // the step that this one waited for; none: the start of the SM
  launch::Stall stall = launch::Stall::kWait;  // why
  float weight = 1;                            // steps that it stands for
};
using PathSteps = std::vector<PathStep>;

}  // namespace burin::timing
