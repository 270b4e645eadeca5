// The user's options for a run.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "emulate/values/event.h"
#include "launch/options.h"

namespace burin::emulate {

struct RunOptions {
  unsigned threads = 0;                 // worker threads; 0: one per core
  std::uint64_t most_instructions = 0;  // warp instructions; 0: no limit
  // Warp instructions of one block, or of one cluster; 0: no limit. Ends a loop that never ends
  // where the whole launch may take much longer.
  std::uint64_t most_of_block = 0;
  // Bytes of the host's memory for the contents of global memory; 0: three quarters of what the
  // process can use.
  std::uint64_t most_memory = 0;
  std::vector<launch::TripCount> trips;  // trip counts of loops whose exit condition is Unknown
  bool check_shared = true;              // detect races and uninitialised reads in shared memory
  Listener* listener = nullptr;          // if set: one worker, and blocks run in order
  // Called periodically with the number of blocks that have finished and the total. May be empty.
  std::function<void(std::uint64_t done, std::uint64_t of)> progress;
  // Called periodically while blocks run, with the warp instructions executed so far. May be empty;
  // may be called from any worker.
  std::function<void(std::uint64_t executed)> heartbeat;
};

}  // namespace burin::emulate
