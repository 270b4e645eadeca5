// Loads or stores by one thread to consecutive addresses, which one wider access could replace.
//
//   for (const AccessRun& run : access_runs(kernel)) …
//     LDG R4, [R2]   LDG R5, [R2+0x4]   LDG R6, [R2+0x8]   LDG R7, [R2+0xc]    {4 bytes, four}
#pragma once

#include <cstdint>
#include <vector>

#include "read/program/kernel.h"

namespace burin::advise {

inline constexpr unsigned kWordBytes = 4;
inline constexpr unsigned kWidestAccess = 16;  // bytes per lane

struct AccessRun {
  unsigned bytes = 0;  // bytes of each access
  // In address order; as many as one 16-byte access can replace.
  std::vector<std::uint32_t> instructions{};
};
// Returns the runs of accesses to global and shared memory. All accesses of a run are in one basic
// block and use the same base registers, which nothing in between changes.
std::vector<AccessRun> access_runs(const read::Kernel& kernel);

}  // namespace burin::advise
