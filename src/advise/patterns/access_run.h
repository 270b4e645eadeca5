// Loads or stores of one thread that touch consecutive addresses one after the other, where one
// wider access would do.
//
//   for (const AccessRun& run : access_runs(kernel)) …
//     LDG R4, [R2]   LDG R5, [R2+0x4]   LDG R6, [R2+0x8]   LDG R7, [R2+0xc]    {4 bytes, four}
#pragma once

#include <cstdint>
#include <vector>

#include "read/program/kernel.h"

namespace burin::advise {

inline constexpr unsigned kWordBytes = 4;
inline constexpr unsigned kWidestAccess = 16;  // bytes of a lane

struct AccessRun {
  unsigned bytes = 0;                         // of each
  std::vector<std::uint32_t> instructions{};  // by address; as many as one access of 16 bytes takes
};
// Of global and shared memory. The accesses of a run stand in one block of the code, have the same
// base registers, and nothing in between changes those.
std::vector<AccessRun> access_runs(const read::Kernel& kernel);

}  // namespace burin::advise
