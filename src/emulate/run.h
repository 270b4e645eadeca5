// Executes all blocks of a kernel launch on the CPU.
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
  std::string printed;                   // text of the kernel's printf, in the order of the blocks
  std::shared_ptr<GlobalMemory> memory;  // contents at the end of the run
  std::vector<std::uint64_t> buffers;    // buffer address per argument; 0 if not a buffer
  std::vector<bool> trips_met;           // per entry of RunOptions::trips: a loop used it
  std::uint64_t blocks = 0;
  std::uint64_t warps = 0;
  // Why the run stopped early: an instruction that cannot be executed, the instruction limit, a
  // trap, or a deadlock, where no warp can make progress (the message names the waiting warps). The
  // counts and faults up to that point are kept; the memory is as it was at that point.
  std::optional<Error> stopped;

  std::uint64_t executed() const;  // warp instructions
};

// Executes the launch, which must have passed check_launch. Returns an Error if burin cannot
// execute the kernel's architecture.
Result<Run> emulate(const read::Kernel& kernel, const launch::Launch& launch,
                    const RunOptions& options);

}  // namespace burin::emulate
