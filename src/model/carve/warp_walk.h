// One warp of a traced block, walked alone: where it blocks, and how many cycles it would take on
// an SM of its own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "machine/machine.h"
#include "read/program/kernel.h"
#include "timing/code/timed_code.h"
#include "timing/trace/trace.h"

namespace burin::model {

struct WarpWalk {
  std::uint64_t long_waits = 0;
  std::uint64_t barriers = 0;
  std::uint64_t special_waits = 0;
  std::uint64_t long_loads = 0;
  double cycles = 0;
  double exposed_cycles = 0;  // waiting for global or local memory
};

// Marks the instructions whose innermost loop (or, outside of loops, the rest of the kernel) has
// neither a load from global or local memory nor a barrier: there special-function results block.
std::vector<char> only_special(const read::Kernel& kernel);

// `latencies` has the cycles of each request that loads from global or local memory.
WarpWalk walk_warp(const timing::BlockTrace& trace, std::span<const timing::TraceStep> warp,
                   std::span<const timing::TimedOp> code, std::span<const char> special_blocks,
                   std::span<const float> latencies, const machine::Machine& machine);

}  // namespace burin::model
