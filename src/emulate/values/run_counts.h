// Counters kept while a kernel is executed.
#pragma once

#include <cstdint>

namespace burin::emulate {

struct InstructionCount {
  std::uint64_t warps = 0;      // warp instructions, including those with a false guard
  std::uint64_t lanes = 0;      // lanes whose guard was true
  std::uint64_t divergent = 0;  // warp instructions with a live lane of the warp elsewhere
};

// How much of the run depends on Unknown values.
struct UnknownCount {
  std::uint64_t branches = 0;      // branches whose condition was Unknown in some lane
  std::uint64_t instructions = 0;  // warp instructions executed on a side of such a branch
  std::uint64_t accesses = 0;      // per-lane accesses at an Unknown address
  std::uint64_t stores = 0;        // per-lane stores at an Unknown address; dropped
  std::uint64_t guards = 0;        // non-branch instructions under an Unknown guard
};

}  // namespace burin::emulate
