// A thread block while it runs: its warps, shared memory and barriers; and the cluster it is in. A
// launch without clusters runs clusters of one block.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "emulate/memory.h"
#include "emulate/shared.h"
#include "emulate/warp.h"
#include "launch/launch.h"

namespace burin {

struct Grid;
struct Cluster;

// BAR's numbered barriers: warps are counted as whole warps, as the hardware does.
struct NamedBarrier {
  std::uint32_t arrived = 0;   // threads, in whole warps
  std::uint32_t expected = 0;  // 0: nobody has come yet
  Mask any = 0;                // BAR.RED: what the arrived lanes voted
  bool all = true;
  std::uint32_t population = 0;
  Clock clock;  // what the arrived warps have seen
};

struct Block {
  Grid* grid = nullptr;
  Cluster* cluster = nullptr;
  Dims index{};              // blockIdx
  std::uint64_t linear = 0;  // x fastest
  std::uint32_t rank = 0;    // in its cluster
  std::uint32_t threads = 0;
  std::vector<std::unique_ptr<Warp>> warps;
  SharedMemory shared;
  std::array<NamedBarrier, 16> barriers{};
  std::uint32_t ended_warps = 0;
};

struct Cluster {
  std::vector<std::unique_ptr<Block>> blocks;  // by rank
  // The cluster's own barrier (UCGABAR): threads come and wait in phases.
  std::uint32_t arrived = 0;
  std::uint64_t phase = 0;
};

}  // namespace burin
