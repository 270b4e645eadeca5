// The advice if each lane accesses its own memory, far from that of the next lane, and must process
// its elements in order: the threads move all elements together, and each thread computes from
// shared memory.
//
//   own_rows(c, access, stride).hint      "Each thread accesses 128 bytes of its own …"
#pragma once

#include <cstdint>

#include "advise/patterns/mapping/lane_mapping.h"

namespace burin::advise {

// `access` is a global access in a loop with a lane stride of `stride` bytes. Needs a study.
LaneMapping own_rows(const Case& c, std::uint32_t access, std::uint64_t stride);

}  // namespace burin::advise
