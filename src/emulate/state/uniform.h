// Writes uniform registers and predicates from per-lane instructions (R2UR, VOTEU, REDUX …).
#pragma once

#include <cstdint>

#include "emulate/state/warp.h"

namespace burin::emulate {

// Both functions write all 32 lanes, because a uniform register or predicate belongs to the warp.
// The result is Unknown if `unknown`, or if any participating lane has an Unknown guard.
BURIN_INLINE inline void set_uniform(Warp& warp, std::uint16_t slot, std::uint32_t value,
                                     bool unknown) {
  Lanes lanes;
  for (std::uint32_t& lane : lanes.lane) lane = value;
  const Mask exec = warp.exec;
  warp.exec = kAllLanes;
  warp.set(slot, lanes, unknown || warp.doubtful != 0 ? kAllLanes : 0);
  warp.exec = exec;
}

BURIN_INLINE inline void set_uniform_predicate(Warp& warp, std::uint8_t slot, bool value,
                                               bool unknown) {
  const Mask exec = warp.exec;
  warp.exec = kAllLanes;
  warp.set_predicate(slot, value ? kAllLanes : 0, unknown || warp.doubtful != 0 ? kAllLanes : 0);
  warp.exec = exec;
}

}  // namespace burin::emulate
