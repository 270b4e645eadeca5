// Runs a kernel's whole launch on the CPU.
//
//   Result<Run> run = emulate(kernel, launch, {});
//   run->executed(…) …
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "emulate/event.h"
#include "emulate/fault.h"
#include "emulate/memory.h"
#include "launch/launch.h"
#include "launch/options.h"
#include "read/program/kernel.h"

namespace burin {

struct RunOptions {
  unsigned threads = 0;                 // workers; 0: one per core
  std::uint64_t most_instructions = 0;  // warp instructions; 0: no limit
  std::vector<TripCount> trips;         // of loops whose end is Unknown
  bool check_shared = true;             // look for races and uninitialised reads of shared memory
  Listener* listener = nullptr;         // then there is one worker, and blocks run in order
  // Called now and then with the blocks that have ended, of how many. May be empty.
  std::function<void(std::uint64_t done, std::uint64_t of)> progress;
};

// How often one instruction was executed.
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
Result<Run> emulate(const Kernel& kernel, const Launch& launch, const RunOptions& options);

}  // namespace burin
