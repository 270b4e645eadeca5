// Runs a kernel's whole launch on the CPU.
//
//   Result<Run> run = emulate(kernel, launch, {});
//   run->executed(…) …
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "emulate/memory/memory.h"
#include "emulate/values/fault.h"
#include "emulate/values/run_counts.h"
#include "emulate/values/run_options.h"
#include "launch/launch.h"
#include "read/program/kernel.h"

namespace burin::emulate {

struct Run {
  std::vector<InstructionCount> counts;  // per instruction of the kernel
  UnknownCount unknown;
  std::vector<Fault> faults;
  std::shared_ptr<GlobalMemory> memory;  // as the kernel left it
  std::vector<std::uint64_t> buffers;    // the address of each argument's buffer, else 0
  std::vector<bool> trips_met;           // of RunOptions::trips, those that a loop had its end from
  std::uint64_t blocks = 0;
  std::uint64_t warps = 0;
  // Why it did not come to its end: an instruction that cannot be executed, the limit, a trap, or
  // no warp that can go on (a deadlock: the sentence names the waiting warps). The counts and
  // faults up to there are kept; the memory is as it was then.
  std::optional<Error> stopped;

  std::uint64_t executed() const;  // warp instructions
};

// The launch must have passed check_launch. An Error where the architecture is not one that burin
// executes.
Result<Run> emulate(const read::Kernel& kernel, const launch::Launch& launch,
                    const RunOptions& options);

}  // namespace burin::emulate
