// Computes how many blocks of a kernel one SM holds at a time, and what limits the number.
//
//   Result<Occupancy> o = occupancy(*load_machine("h200"), {.threads = 256, .registers = 64});
//   o->blocks            4
//   o->warps             32
//   o->limiters()        {"registers"}
//   o->limits            {{"warps", 8}, {"blocks", 32}, {"registers", 4}, {"shared memory", 228}, …
//   o->carve_out         8192: bytes of the data array that the driver makes shared memory
//
// The numbers match the CUDA toolkit's own calculator, cuda_occupancy.h (verified by a test).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"

namespace burin::machine {

// The resources that each block of a launch needs on an SM.
struct KernelNeeds {
  std::uint64_t threads = 0;    // per block
  std::uint64_t registers = 0;  // per thread
  std::uint64_t shared = 0;     // bytes per block, static and dynamic
  std::uint64_t barriers = 1;   // named barriers per block
  std::uint64_t cluster = 1;    // blocks per cluster
};

struct Occupancy {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  struct Limit {
    std::string_view name;              // "warps", "blocks", "registers", "shared memory",
                                        // "barriers", "clusters"
    std::uint64_t blocks = kUnlimited;  // blocks that this limit alone would allow
  };
  std::array<Limit, 6> limits;

  std::uint64_t blocks = 0;               // resident blocks per SM
  std::uint64_t warps = 0;                // resident warps per SM
  std::uint64_t registers_per_block = 0;  // as allocated, in granules
  std::uint64_t shared_per_block = 0;     // bytes as allocated, including the system's part
  // Bytes of shared memory. If the program does not choose a carve-out, the driver takes the
  // smallest one that holds these blocks; the rest of the data array is L1 cache.
  std::uint64_t carve_out = 0;
  std::uint64_t l1 = 0;  // bytes

  std::vector<std::string_view> limiters() const;  // names of the limits that allow no more blocks
};

// Fails for a launch that no SM can hold, with an error that names the exceeded limit.
Result<Occupancy> occupancy(const Machine& machine, const KernelNeeds& needs);

}  // namespace burin::machine
