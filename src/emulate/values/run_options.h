// What the user decides about a run.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "emulate/values/event.h"
#include "launch/options.h"

namespace burin::emulate {

struct RunOptions {
  unsigned threads = 0;                  // workers; 0: one per core
  std::uint64_t most_instructions = 0;   // warp instructions; 0: no limit
  std::vector<launch::TripCount> trips;  // of loops whose end is Unknown
  bool check_shared = true;              // look for races and uninitialised reads of shared memory
  Listener* listener = nullptr;          // then there is one worker, and blocks run in order
  // Called now and then with the blocks that have ended, of how many. May be empty.
  std::function<void(std::uint64_t done, std::uint64_t of)> progress;
};

// How often one instruction was executed.

}  // namespace burin::emulate
