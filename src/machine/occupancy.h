// How many blocks of a kernel one SM holds at a time, and what keeps it from holding more.
//
//   Result<Occupancy> o = occupancy(*load_machine("h200"), {.threads = 256, .registers = 64});
//   o->blocks            4
//   o->warps             32
//   o->limiters()        {"registers"}
//   o->limits            {{"warps", 8}, {"blocks", 32}, {"registers", 4}, {"shared memory", 228}, …
//   o->carve_out         8192: bytes of the data array that the driver makes shared memory
//
// The numbers equal those of the toolkit's own calculator, cuda_occupancy.h (a test says so).
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "machine/machine.h"

namespace burin::machine {

// What a launch asks of an SM for each block.
struct KernelNeeds {
  std::uint64_t threads = 0;    // of a block
  std::uint64_t registers = 0;  // of a thread
  std::uint64_t shared = 0;     // bytes of a block, static and dynamic together
  std::uint64_t barriers = 1;   // named barriers of a block
  std::uint64_t cluster = 1;    // blocks of a cluster
};

struct Occupancy {
  static constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

  struct Limit {
    std::string_view name;              // "warps", "blocks", "registers", "shared memory",
    std::uint64_t blocks = kUnlimited;  // "barriers": blocks that it alone would allow
  };
  std::array<Limit, 6> limits;

  std::uint64_t blocks = 0;               // resident on an SM
  std::uint64_t warps = 0;                // of them together
  std::uint64_t registers_per_block = 0;  // as given out, in granules
  std::uint64_t shared_per_block = 0;     // likewise, with the system's part
  // Where the program does not choose, the driver takes the smallest carve-out that holds these
  // blocks; the rest of the data array is L1 cache.
  std::uint64_t carve_out = 0;
  std::uint64_t l1 = 0;  // bytes

  std::vector<std::string_view> limiters() const;  // names of those that allow no more blocks
};

// Refuses a launch that no SM can hold, in a sentence that names the limit it crosses.
Result<Occupancy> occupancy(const Machine& machine, const KernelNeeds& needs);

}  // namespace burin::machine
