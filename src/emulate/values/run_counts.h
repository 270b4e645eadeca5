// What is counted while a kernel is executed.
#pragma once

#include <cstdint>

namespace burin::emulate {

struct InstructionCount {
  std::uint64_t warps = 0;      // warp instructions, guard false or not
  std::uint64_t lanes = 0;      // lanes whose guard held
  std::uint64_t divergent = 0;  // of `warps`, those where some live lane of the warp was elsewhere
};

// What rests on Unknown values.
struct UnknownCount {
  std::uint64_t branches = 0;      // branches whose condition was Unknown in some lane
  std::uint64_t instructions = 0;  // warp instructions on one side of such a branch
  std::uint64_t accesses = 0;      // lanes' accesses at an Unknown address
  std::uint64_t stores = 0;        // … of these, stores, which went nowhere
  std::uint64_t guards = 0;        // other instructions under an Unknown guard
};

}  // namespace burin::emulate
