// A running thread block with its warps, shared memory and barriers, and the cluster that contains
// it. A launch without clusters runs clusters of one block.
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

// One of the block's numbered barriers, used by BAR (execute/barrier.cc).
struct NamedBarrier {
  std::uint32_t arrived = 0;     // threads that have arrived
  std::uint32_t counted = 0;     // arrived threads, with every warp counted as 32
  std::uint32_t expected = 0;    // expected threads; 0: all threads of the block
  std::uint32_t population = 0;  // BAR.RED: threads whose predicate is true
  std::uint8_t reduction = 0;
  bool unknown = false;  // BAR.RED: some predicate was Unknown
  Clock clock{};         // joined clocks of the warps that have arrived
};

// The joined clocks of the warps that arrive at an mbarrier, for race detection in shared memory.
struct MbarrierClock {
  Clock arriving{};  // arrivals of the current and all earlier phases
  Clock passed{};    // arrivals of completed phases
};

struct Block {
  Grid* grid = nullptr;
  Cluster* cluster = nullptr;
  launch::Dims index{};      // blockIdx
  std::uint64_t linear = 0;  // linear block index, x fastest
  std::uint32_t rank = 0;    // rank in its cluster
  std::uint32_t threads = 0;
  std::vector<std::unique_ptr<Warp>> warps;
  SharedMemory shared;
  std::array<NamedBarrier, 16> barriers{};
  std::unordered_map<std::uint32_t, MbarrierClock> mbarrier_clocks;  // by mbarrier address
  Clock cluster_clock{};  // joined clocks of the block's warps at the cluster barrier
};

struct Cluster {
  std::vector<std::unique_ptr<Block>> blocks;  // indexed by rank
  bool waiting = false;                        // so far it only waits for other clusters
  std::uint64_t executed = 0;                  // warp instructions
  std::uint64_t phase = 0;                     // completed phases of the cluster barrier (UCGABAR)
};

}  // namespace burin::emulate
