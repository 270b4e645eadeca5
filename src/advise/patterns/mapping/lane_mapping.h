// How to make adjacent lanes access adjacent memory: exchange two axes of the launch, or transpose
// a tile in shared memory.
//
//   const LaneMapping mapping = lane_mapping(c, access);
//     mapping.hint    "Adjacent lanes are 16384 bytes apart at …"
//     mapping.check   "--grid 128,128,1 --block 32,8,1": the new launch; empty: as it is, or
//     unknown
//     mapping.threads 0.25: each thread moves four elements
#pragma once

#include <cstdint>
#include <string>

#include "advise/case/case.h"

namespace burin::advise {

struct LaneMapping {
  std::string hint{};
  std::string check{};
  double threads = 1;  // of the new launch, relative to this one
  bool staged = true;  // through shared memory
};
// `access` is a global access that touches more sectors than its bytes need.
LaneMapping lane_mapping(const Case& c, std::uint32_t access);
// The size of the structures of which each lane accesses one at a time, with adjacent structures
// in adjacent lanes; 0: there are none. Needs a study.
std::uint64_t structure_bytes(const Case& c, std::uint32_t access);

}  // namespace burin::advise
