// What to write where each lane accesses memory of its own, far from the next lane's, and must take
// its elements in order: the threads move them together, and each computes from shared memory.
//
//   own_rows(c, access, stride).hint      "Each thread accesses 128 bytes of its own …"
#pragma once

#include <cstdint>

#include "advise/patterns/mapping/lane_mapping.h"

namespace burin::advise {

// `access` is to global memory, in a loop, `stride` bytes from lane to lane. Needs a study.
LaneMapping own_rows(const Case& c, std::uint32_t access, std::uint64_t stride);

}  // namespace burin::advise
