// The user's options for a run.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "emulate/values/event.h"
#include "launch/options.h"

namespace burin::emulate {

struct RunOptions {
  unsigned threads = 0;                  // worker threads; 0: one per core
  std::uint64_t most_instructions = 0;   // warp instructions; 0: no limit
  std::vector<launch::TripCount> trips;  // trip counts of loops whose exit condition is Unknown
  bool check_shared = true;              // detect races and uninitialised reads in shared memory
  Listener* listener = nullptr;          // if set: one worker, and blocks run in order
  // Called periodically with the number of blocks that have finished and the total. May be empty.
  std::function<void(std::uint64_t done, std::uint64_t of)> progress;
};

}  // namespace burin::emulate
