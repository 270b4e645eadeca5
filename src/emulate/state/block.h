// A thread block while it runs: its warps, shared memory and barriers; and the cluster it is in. A
// launch without clusters runs clusters of one block.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "emulate/memory/memory.h"
#include "emulate/memory/shared.h"
#include "emulate/state/warp.h"
#include "launch/launch.h"

namespace burin::emulate {

struct Grid;
struct Cluster;

// One of BAR's numbered barriers (execute_barrier.cc).
struct NamedBarrier {
  std::uint32_t arrived = 0;     // threads that have come
  std::uint32_t counted = 0;     // the same, whole warps as 32
  std::uint32_t expected = 0;    // 0: all threads of the block
  std::uint32_t population = 0;  // BAR.RED: threads whose predicate holds
  std::uint8_t reduction = 0;
  bool unknown = false;  // … some predicate was Unknown
  Clock clock{};         // what the warps that came have seen
};

// What warps have seen when they arrive at an mbarrier, for the watch over shared memory.
struct MbarrierClock {
  Clock arriving{};  // those of the phase under way, and before
  Clock passed{};    // those of the phases that are over
};

struct Block {
  Grid* grid = nullptr;
  Cluster* cluster = nullptr;
  launch::Dims index{};      // blockIdx
  std::uint64_t linear = 0;  // x fastest
  std::uint32_t rank = 0;    // in its cluster
  std::uint32_t threads = 0;
  std::vector<std::unique_ptr<Warp>> warps;
  SharedMemory shared;
  std::array<NamedBarrier, 16> barriers{};
  std::unordered_map<std::uint32_t, MbarrierClock> mbarrier_clocks;  // by address
  Clock cluster_clock{};  // of the block's warps that came to the cluster's barrier
};

struct Cluster {
  std::vector<std::unique_ptr<Block>> blocks;  // by rank
  bool waiting = false;     // it was seen to do nothing but wait for other clusters
  std::uint64_t phase = 0;  // how often all warps have come to the cluster's own barrier (UCGABAR)
};

}  // namespace burin::emulate
