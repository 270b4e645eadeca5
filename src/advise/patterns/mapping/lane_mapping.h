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
#include <optional>
#include <string>

#include "advise/case/case.h"
#include "advise/patterns/mapping/unordered.h"

namespace burin::advise {

// Threads that take the indices of another axis in place of x, and the launch for them.
struct ExchangedAxes {
  unsigned axis = 1;  // 1 is y
  launch::Dims grid{};
  launch::Dims block{};
};

struct LaneMapping {
  std::string hint{};
  std::string check{};
  double threads = 1;  // of the new launch, relative to this one
  bool staged = true;  // through shared memory
  std::optional<ExchangedAxes> exchanged{};
};
// `access` is a global access that touches more sectors than its bytes need.
LaneMapping lane_mapping(const Case& c, std::uint32_t access);
// `access` is one of `unordered`, and has a remedy.
LaneMapping unordered_mapping(const Case& c, std::uint32_t access, const Unordered& unordered);

// Structures of which each lane accesses one, with adjacent structures in adjacent lanes.
struct LaneStructure {
  std::uint64_t bytes = 0;  // 0: there are none
  double used_share = 0;    // of its bytes, accessed by its thread
};
LaneStructure lane_structure(const Case& c, std::uint32_t access);  // needs a study
read::InstructionSet in_structures(const Case& c);  // accesses to these; needs a study
// From this share on, a thread should move its whole structure in a few wide accesses.
inline constexpr double kMinFieldsShare = 0.6;

}  // namespace burin::advise
