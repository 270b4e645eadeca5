// One issue of a replay and what it waited for last. Following these steps back from the end yields
// the critical path (analyze/critical_path.h).
#pragma once

#include <cstdint>
#include <vector>

#include "launch/stall.h"

namespace burin::timing {

struct PathStep {
  static constexpr std::uint32_t kNone = 0xffffffff;

  std::int64_t at = 0;  // cycle of issue
  std::uint32_t instruction = 0;
  std::uint32_t before = kNone;  // step this one waited for; kNone: the start of the SM
  launch::Stall stall = launch::Stall::kWait;  // reason for the wait
  float weight = 1;                            // number of steps it represents
};
using PathSteps = std::vector<PathStep>;

}  // namespace burin::timing
